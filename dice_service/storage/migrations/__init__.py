"""Numbered SQL files, applied in order; the database says how many of them it has.

``0001_matches.sqlite.sql`` and ``0001_matches.postgres.sql`` do the same in two dialects, so that
a schema's number means one thing.
"""

from collections.abc import Sequence
from pathlib import Path

from dice_service.errors import SetupError


def files_for(dialect: str) -> list[Path]:
    """The files of a dialect, in order."""
    return sorted(Path(__file__).parent.glob(f"[0-9][0-9][0-9][0-9]_*.{dialect}.sql"))


def refuse_newer(version: int, files: Sequence[Path], where: object) -> None:
    """Raises :class:`SetupError` ``database-newer`` for a schema that this program cannot know."""
    if version > len(files):
        raise SetupError(
            "database-newer",
            f"{where} has schema {version}, this program knows {len(files)}: use the newer program",
        )


def refuse_older(version: int, files: Sequence[Path], where: object) -> None:
    """Raises :class:`SetupError` ``database-older`` for a schema that is to be migrated first."""
    if version < len(files):
        raise SetupError(
            "database-older",
            f"{where} has schema {version}, this program needs {len(files)};"
            " make a backup, then run: dice-service migrate",
        )


def foreign(where: object) -> SetupError:
    """The error for a database that holds something else."""
    return SetupError("database-foreign", f"{where} is a database of another program")
