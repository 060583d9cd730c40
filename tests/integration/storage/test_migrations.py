"""A program and a database of different versions: refused with the command that helps."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dice_service.cli import main
from dice_service.storage.migrations import of_postgres, of_sqlite

MODULES = {"sqlite": of_sqlite, "postgres": of_postgres}


@pytest.mark.parametrize("kind", MODULES)
def test_a_start_against_another_schema_is_refused_with_the_command_to_run(
    kind: str,
    tmp_path: Path,
    database_of: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DICE_DATABASE", database_of(kind))
    monkeypatch.setenv("DICE_KEYS", str(tmp_path / "keys"))
    assert main(["init"]) == 0
    assert main(["migrate"]) == 0  # an empty database is made
    files = MODULES[kind].FILES
    known = len(files)
    assert capsys.readouterr().out.endswith(f"schema 0 before, {known} now\n")

    next_one = tmp_path / f"9999_next.{kind}.sql"
    next_one.write_text("CREATE TABLE next (a TEXT);\n")
    monkeypatch.setattr(MODULES[kind], "FILES", [*files, next_one])
    assert main(["serve", "--port", "0"]) == 2
    assert capsys.readouterr().err.endswith("make a backup, then run: dice-service migrate\n")
    assert main(["migrate"]) == 0
    assert capsys.readouterr().out.endswith(f"schema {known} before, {known + 1} now\n")
    assert main(["api-key", "list"]) == 0

    monkeypatch.setattr(MODULES[kind], "FILES", files)
    for command in (["serve", "--port", "0"], ["migrate"], ["api-key", "list"]):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert said.endswith(f"this program knows {known}: use the newer program\n")
