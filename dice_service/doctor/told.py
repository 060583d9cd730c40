"""What the service is told: its settings, and variables that set nothing."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from dice_service.doctor.findings import Finding, failed, ok, warning
from dice_service.errors import SetupError
from dice_service.settings import PREFIX, Settings, load, unknown_variables


def read(
    flags: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[Settings | None, list[Finding]]:
    """The settings, None if they are wrong, and what was found of them."""
    try:
        settings = load(flags)
    except SetupError as error:
        return None, [failed("settings", str(error), "give it a value that is allowed")]
    findings = [*_unknown(environment), *_unsafe(settings)]
    return settings, findings or [ok("settings", "all known, none unsafe")]


def _unknown(environment: Mapping[str, str]) -> Iterator[Finding]:
    for name in unknown_variables(environment):
        yield warning("settings", f"{name} is not a setting", "unset it, or spell it right")
    for name in sorted(environment):
        if name.upper().startswith(PREFIX + "TEST_"):
            yield failed("settings", f"{name} is set, which is for tests only", f"unset {name}")


def _unsafe(settings: Settings) -> Iterator[Finding]:
    if not is_local(settings.host):
        yield warning(
            "settings",
            f"it listens on {settings.host} and speaks plain HTTP",
            "let only the proxy that does TLS reach it (OPERATING.md, Proxies)",
        )
    if settings.webhook_targets == "local":
        found = "webhooks may go to this network's own addresses"
        yield warning("settings", found, "set webhook_targets to public, unless you made them all")
    if settings.log_level == "debug":
        yield warning("settings", "log_level is debug: a line for each roll", "set it to info")


def is_local(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    if host in {"", "localhost"}:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
