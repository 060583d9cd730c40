"""Files that survive a power cut, and that only their owner reads (mode 0600)."""

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes, *, replace: bool = True) -> bool:
    """Write a file so that it is there whole or not at all, even after a crash.

    With ``replace`` false an existing file stays as it is, and the answer is False.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    _write(beside, data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        if replace:
            beside.replace(path)
        else:
            os.link(beside, path)  # unlike a rename, refused when the file exists
    except FileExistsError:
        return False
    finally:
        beside.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def append_line(path: Path, line: bytes) -> None:
    """Add a line to a file, on the disk when this returns.

    A crash may leave a part of the line: :func:`read_lines` takes it off again.
    """
    existed = path.exists()
    _write(path, line + b"\n", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if not existed:
        _sync_folder(path.parent)


def read_lines(path: Path) -> bytes:
    """A file's whole lines; b"" if there is no file. A line cut short by a crash is taken off."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return b""
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        write_whole(path, whole)
    return whole


def _write(path: Path, data: bytes, flags: int) -> None:
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make a file's new name in its folder durable too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
