"""A wrong setting is one clear line that names the variable."""

from pathlib import Path

import pytest

from dice_service.errors import SetupError
from dice_service.settings import load, unknown_variables
from dice_service.storage import databases


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("DICE_")]:
        monkeypatch.delenv(name)


def test_the_defaults_are_those_of_the_readme() -> None:
    settings = load()
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert (settings.database, settings.keys) == ("sqlite:///var/dice.db", Path("var/keys"))
    assert settings.public_logs == "finished"


def test_flags_stand_above_the_environment_and_that_above_the_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DICE_PORT", "9001")
    monkeypatch.setenv("DICE_HOST", "::1")
    settings = load({"port": "9002", "host": None})
    assert (settings.port, settings.host) == (9002, "::1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "65536"),
        ("PORT", ""),
        ("PUBLIC_LOGS", "everyone"),
        ("LOG_LEVEL", "loud"),
        ("MAX_BODY", "1"),
        ("REQUEST_TIMEOUT", "0"),
        ("REQUEST_TIMEOUT", "nan"),
        ("QUEUE_LIMIT", "-1"),
        ("DATABASE", "postgres://x"),
        ("DATABASE", "sqlite:///"),
        ("HOST", ""),
        ("RATE_PER_KEY", "-1"),
        ("RATE_PER_ADDRESS", "many"),
        ("TRUSTED_PROXIES", "*"),
        ("TRUSTED_PROXIES", "proxy.example"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("TRUSTED_PROXIES", "10.0.0.1,"),
    ],
)
def test_a_wrong_setting_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"DICE_{name}", value)
    with pytest.raises(SetupError) as caught:
        load()
    text = str(caught.value)
    assert text.startswith(f"DICE_{name} is {value!r}: ")
    assert "\n" not in text


def test_a_wrong_flag_is_named_as_it_was_given() -> None:
    with pytest.raises(SetupError, match=r"^--max-body \(or DICE_MAX_BODY\) is 'x': "):
        load({"max_body": "x"})


def test_a_database_is_a_path_relative_or_absolute_or_a_server() -> None:
    assert databases.sqlite_path("sqlite:///a/b.db") == Path("a/b.db")
    assert databases.sqlite_path("sqlite:////a/b.db") == Path("/a/b.db")
    assert load({"database": "postgresql://dice@db/dice"}).database == "postgresql://dice@db/dice"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////a/b@c:d.db", "sqlite:////a/b@c:d.db"),
        ("postgresql://dice@db/dice", "postgresql://dice@db/dice"),
        ("postgresql://dice:s3cret@db/dice", "postgresql://dice@db/dice"),
        ("postgresql://dice:s3/c@r:et@db:1/dice?a=b", "postgresql://dice@db:1/dice?a=b"),
        ("postgresql:///d?user=u&password=s3cret&a=b", "postgresql:///d?user=u&password=…&a=b"),
        ("postgresql:///d?password=s3cret", "postgresql:///d?password=…"),
        ("dice:s3cret@db/dice", "…@db/dice"),
    ],
)
def test_a_password_is_never_shown(url: str, shown: str) -> None:
    assert databases.shown(url) == shown
    if not databases.known(url):
        with pytest.raises(SetupError) as caught:
            load({"database": url})
        assert "s3cret" not in str(caught.value)


def test_misspelt_variables_are_found() -> None:
    environment = {"DICE_PROT": "1", "DICE_PORT": "1", "DICE_TEST_PG_URL": "x", "PATH": "/"}
    assert unknown_variables(environment) == ["DICE_PROT"]


def test_a_secret_may_be_a_file_and_the_environment_stands_above_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "dice_database").write_text("postgresql://dice:s3cret@db/dice\n")
    (tmp_path / "postgres_password").write_text("of another program")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert load().database == "postgresql://dice:s3cret@db/dice"
    monkeypatch.setenv("DICE_DATABASE", "sqlite:///a.db")
    assert load().database == "sqlite:///a.db"
    monkeypatch.delenv("DICE_DATABASE")
    (tmp_path / "dice_database").write_text("dice:s3cret@db/dice")
    with pytest.raises(SetupError, match=r"^DICE_DATABASE is '…@db/dice'"):
        load()
