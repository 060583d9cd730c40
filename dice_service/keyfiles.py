"""A folder of key files: one key a file, mode 0600, and a marker that names the active one.

``signing-<id>.pem`` and ``sealing-<id>.key`` hold keys; ``signing.active`` and
``sealing.active`` hold the id of the key that new matches get, and since when. Old keys stay:
matches that were opened under them need them.

systemd hands such a folder over as ``LoadCredential=keys:FOLDER``: then each file's name begins
with ``keys_``, and systemd sees to it that only the service's user can read it.
"""

import os
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Final

from dice_service.clock import now
from dice_service.errors import SetupError

CREDENTIAL: Final = "keys"  # the name that systemd is to hand the folder over by


def write_key(folder: Path, kind: str, key_id: str, suffix: str, content: bytes) -> None:
    """Write a key file that only its owner may read, durably, and make it the active one.

    Raises :class:`SetupError` ``key-exists`` rather than overwrite one.
    """
    path = folder / f"{kind}-{key_id}{suffix}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        # A crash here leaves a key that nothing uses yet: the marker still names the old one.
        _write_marker(folder, kind, key_id)
    except FileExistsError:
        raise SetupError("key-exists", f"{path} exists already; it was left as it is") from None
    except OSError as error:
        raise SetupError("key-unwritable", f"cannot write {path}: {error.strerror}") from None


def read_keys(folder: Path, kind: str, suffix: str) -> tuple[dict[str, bytes], str]:
    """All keys of a kind by id, and the id of the active one.

    Raises :class:`SetupError`: ``key-missing`` when there is none, ``key-open`` when others
    than the owner may read one, ``key-unreadable``.
    """
    keys: dict[str, bytes] = {}
    handed = handed_over(folder)
    start = f"{_prefix(folder)}{kind}"
    path = folder
    try:
        for path in sorted(folder.glob(f"{start}-*{suffix}")):
            # What stands for the group may be the mask of an access list, by which systemd
            # lets the service's user read.
            if path.stat().st_mode & (0o037 if handed else 0o077):
                raise SetupError("key-open", f"{path} can be read by others; run: chmod 600 {path}")
            keys[path.name.removeprefix(f"{start}-").removesuffix(suffix)] = path.read_bytes()
        path = _marker(folder, kind)
        active = path.read_text("ascii").partition(" ")[0].strip() if keys else ""
    except FileNotFoundError:
        active = ""
    except (OSError, UnicodeError) as error:
        raise SetupError("key-unreadable", f"cannot read {path}: {error}") from None
    if active not in keys:
        raise SetupError(
            "key-missing",
            f"no active {kind} key in {folder}; run: dice-service init",
        )
    return keys, active


def active_since(folder: Path, kind: str) -> float:
    """When the active key of a kind was made, in seconds of the epoch.

    A marker of older programs does not say it: then it is the marker's own time. Raises
    :class:`SetupError` ``key-unreadable``.
    """
    path = _marker(folder, kind)
    try:
        _, _, since = path.read_text("ascii").strip().partition(" ")
        return datetime.fromisoformat(since).timestamp() if since else path.stat().st_mtime
    except (OSError, ValueError) as error:
        raise SetupError("key-unreadable", f"cannot read {path}: {error}") from None


def handed_over(folder: Path) -> bool:
    """Whether systemd has put the keys there for this process alone."""
    given = os.environ.get("CREDENTIALS_DIRECTORY")
    return bool(given) and folder.absolute() == Path(str(given)).absolute()


def _prefix(folder: Path) -> str:
    return f"{CREDENTIAL}_" if handed_over(folder) else ""


def _marker(folder: Path, kind: str) -> Path:
    return folder / f"{_prefix(folder)}{kind}.active"


def has_keys(folder: Path, kind: str, suffix: str) -> bool:
    """Whether there is any key of that kind."""
    return any(folder.glob(f"{_prefix(folder)}{kind}-*{suffix}"))


def _write_marker(folder: Path, kind: str, key_id: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=folder, prefix=f".{kind}-")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{key_id} {now()}\n")
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(folder / f"{kind}.active")
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
