"""Reading files for the command line: plain, gzip, or standard input; never without a limit."""

import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from verifier.errors import InputError
from verifier.log import MAX_LOG

_GZIP = b"\x1f\x8b"


def read_source(name: str) -> bytes:
    """The bytes of a file, of standard input for ``-``, unpacked if they are gzip.

    At most one byte more than a log may have is read, so that a longer file is noticed and no
    file can fill the memory. Raises :class:`InputError` ``file-unreadable``.
    """
    try:
        if name == "-":
            return _unpacked(sys.stdin.buffer)
        with Path(name).open("rb") as file:
            return _unpacked(file)
    except (OSError, EOFError, zlib.error) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(
            "file-unreadable", "{file} cannot be read: {what}", file=name, what=what
        ) from None


def write_new(name: str, data: bytes) -> None:
    """Write a file that must not exist yet. Raises :class:`InputError` ``file-unwritable``."""
    try:
        with Path(name).open("xb") as file:
            file.write(data)
    except OSError as error:
        raise InputError(
            "file-unwritable",
            "{file} cannot be written: {what}",
            file=name,
            what=error.strerror or str(error),
        ) from None


def _unpacked(file: BinaryIO) -> bytes:
    data = file.read(MAX_LOG + 1)
    if not data.startswith(_GZIP):
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
        return unpacked.read(MAX_LOG + 1)
