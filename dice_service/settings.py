"""The service's settings: ``DICE_…`` in the environment, overridden by the flags of ``serve``."""

import os
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from dice_service.errors import SetupError
from dice_service.storage import databases

PREFIX = "DICE_"


class Settings(BaseSettings):
    """Everything that a process of the service is told from outside. Times are in seconds."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    database: str = Field("sqlite:///var/dice.db", repr=False, description="where matches are kept")
    keys: Path = Field(Path("var/keys"), description="the folder of the key files")
    host: str = Field("127.0.0.1", min_length=1, description="the address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="the port to listen on; 0: any free one")
    public_logs: Literal["finished", "token"] = Field(
        "finished", description="finished matches are read by anyone, or with a token only"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="the least level that is logged"
    )
    max_body: int = Field(
        16_384, ge=4_096, le=1_048_576, description="the largest request body, in bytes"
    )
    request_timeout: float = Field(
        10.0, ge=0.1, le=300, description="for a request's head, for its body, and for its answer"
    )
    drain_timeout: int = Field(
        10, ge=1, le=300, description="for open requests to finish at the stop"
    )
    queue_limit: int = Field(
        10_000, ge=1, le=1_000_000, description="writes waiting before new ones are refused"
    )
    opening_timeout: int = Field(
        3_600,
        ge=0,
        le=31_536_000,
        description="a match whose seeds are not both open is aborted so long after its last line;"
        " 0: never",
    )
    idle_timeout: int = Field(
        86_400,
        ge=0,
        le=31_536_000,
        description="a match that is played is aborted so long after its last line; 0: never",
    )
    stream_limit: int = Field(
        1_000, ge=0, le=100_000, description="event streams that one process serves at a time"
    )
    # Each process counts for itself: of n processes a client may have n times as much.
    rate_per_key: int = Field(
        0, ge=0, le=100_000_000, description="requests a minute with one API key; 0: no limit"
    )
    rate_per_token: int = Field(
        600,
        ge=0,
        le=100_000_000,
        description="requests a minute with one player's token; 0: no limit",
    )
    rate_per_address: int = Field(
        3_000,
        ge=0,
        le=100_000_000,
        description="requests a minute without valid credentials from one address; 0: no limit",
    )
    trusted_proxies: str = Field(
        "",
        description="proxies whose X-Forwarded-For is believed: addresses and networks, with"
        " commas; empty: nobody's",
    )
    webhook_targets: Literal["public", "local"] = Field(
        "public",
        description="webhooks go to https and public addresses only, or to private ones too",
    )

    @field_validator("database")
    @classmethod
    def _database_known(cls, value: str) -> str:
        if not databases.known(value):
            raise ValueError(
                "it must be sqlite:///PATH (four slashes for an absolute path) or"
                " postgresql://USER@HOST:PORT/DATABASE"
            )
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies_are_networks(cls, value: str) -> str:
        for part in value.split(",") if value else ():
            try:
                ip_network(part.strip())
            except ValueError:
                raise ValueError(
                    "it must be addresses or networks, like 10.0.0.7,192.168.0.0/16"
                ) from None
        return value


def load(flags: Mapping[str, Any] | None = None) -> Settings:
    """The settings from the environment; ``flags`` that are not None stand above it.

    Below it stand files of that name: see :func:`_secrets`.

    Raises :class:`SetupError` ``setting-invalid``, one line naming the variable, for the first
    that is wrong.
    """
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    try:
        return Settings(**(given | {"_secrets_dir": _secrets()}))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        name = str(first["loc"][0]).removeprefix(PREFIX.lower())
        variable = PREFIX + name.upper()
        where = f"--{name.replace('_', '-')} (or {variable})" if name in given else variable
        reason = first["msg"].removeprefix("Value error, ")
        shown = databases.shown(str(first["input"]))[:80]
        raise SetupError("setting-invalid", f"{where} is {shown!r}: {reason}") from None


def _secrets() -> list[str]:
    """Folders in which a file ``dice_database`` stands for ``DICE_DATABASE``, and so on.

    systemd's credentials and containers' secrets: what is not to stand in the environment.
    """
    folders = [os.environ.get("CREDENTIALS_DIRECTORY", ""), "/run/secrets"]
    return [folder for folder in folders if folder and Path(folder).is_dir()]


def unknown_variables(environment: Mapping[str, str] | None = None) -> list[str]:
    """The ``DICE_…`` variables that set nothing: probably misspelt. ``DICE_TEST_…`` is not ours."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    return sorted(
        name
        for name in (os.environ if environment is None else environment)
        if name.upper().startswith(PREFIX)
        and not name.upper().startswith(PREFIX + "TEST_")
        and name.upper() not in known
    )
