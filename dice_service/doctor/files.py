"""Files and folders: who may read and write them, and the room on their disk."""

import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dice_service import keyfiles
from dice_service.doctor.findings import Finding, failed, ok, unchecked, warning

# File systems on which SQLite's write-ahead log, memory shared between processes, does not work.
REMOTE: Final = {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "fuse.sshfs", "afs"}
LOW_SPACE: Final = 1 << 30  # bytes: about half a million matches of 50 rolls
NO_SPACE: Final = 100 << 20
LOW_SHARE: Final = 0.05


def keys(folder: Path) -> Iterator[Finding]:
    """The folder of the keys and each file in it."""
    if not folder.is_dir():
        yield failed("key folder", f"there is no folder {folder}", "run: dice-service init")
        return
    handed = keyfiles.handed_over(folder)  # what systemd hands over is looked after by it
    problems: list[Finding] = []
    for path in [folder, *sorted(folder.iterdir())]:
        try:
            found = path.stat()
        except OSError as error:
            problems.append(failed("key folder", f"{path}: {error.strerror}", "mend the file"))
            continue
        mode = stat.S_IMODE(found.st_mode)
        right = 0o700 if path == folder else 0o600
        if mode & 0o077 and not handed:
            mend = f"run: chmod {right:o} {path}"
            problems.append(failed("key folder", f"{path} has mode {mode:04o}", mend))
        if found.st_uid != os.geteuid() and not handed:
            problems.append(_other_owner("key folder", path, found.st_uid))
    yield from problems or [ok("key folder", f"{folder}: its owner's alone")]


def database(path: Path) -> Iterator[Finding]:
    """A SQLite file and its folder: who may read and write them."""
    problems: list[Finding] = []
    for each, shut in ((path.parent, 0o022), (path, 0o077)):
        try:
            found = each.stat()
        except OSError:
            continue  # that it is missing is said by others
        mode = stat.S_IMODE(found.st_mode)
        sticky = mode & stat.S_ISVTX
        if mode & shut and not (each == path.parent and sticky):
            mend = f"run: chmod {'go-w' if each == path.parent else '600'} {each}"
            problems.append(failed("database file", f"{each} has mode {mode:04o}", mend))
        if found.st_uid != os.geteuid() and each == path:
            problems.append(_other_owner("database file", each, found.st_uid))
        if not os.access(each, os.R_OK | os.W_OK, effective_ids=True):
            mend = "mount it for writing, or give it to the service's user"
            problems.append(failed("database file", f"{each} cannot be written", mend))
    yield from problems or [ok("database file", f"{path}: its owner's alone, and can be written")]


def disk(folder: Path) -> Iterator[Finding]:
    """The room where a SQLite file is, and whether its file system is fit for one."""
    kind = file_system(folder, Path("/proc/mounts"))
    if kind in REMOTE:
        mend = "put the database on a local disk, or use PostgreSQL"
        yield failed("disk", f"{folder} is on {kind}, where SQLite loses data", mend)
    try:
        found = os.statvfs(folder)
    except OSError as error:
        yield unchecked("disk", f"{folder}: {error.strerror}")
        return
    free = found.f_bavail * found.f_frsize
    share = found.f_bavail / found.f_blocks if found.f_blocks else 1.0
    text = f"{free / (1 << 30):.1f} GiB free ({share:.0%}) at {folder}"
    if found.f_flag & os.ST_RDONLY:
        yield failed("disk", f"{folder} is mounted read-only", "mount it for writing")
    elif free < NO_SPACE:
        yield failed("disk", text, "make room: rolls are refused when it is full")
    elif free < LOW_SPACE or share < LOW_SHARE:
        yield warning("disk", text, "make room soon")
    else:
        yield ok("disk", text)
    if found.f_files and found.f_favail < max(100, LOW_SHARE * found.f_files):
        text = f"{found.f_favail} of {found.f_files} inodes free at {folder}"
        yield warning("disk", text, "remove small files there")


def file_system(folder: Path, mounts: Path) -> str:
    """The type of the file system that a folder is on, by a file like ``/proc/mounts``; or ""."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
        real = folder.resolve()
    except OSError:
        return ""
    best, kind = -1, ""
    for line in lines:
        _, place, type_, *_ = line.split()
        place = place.replace("\\040", " ")
        if real.is_relative_to(place) and len(place) >= best:
            best, kind = len(place), type_
    return kind


def _other_owner(check: str, path: Path, owner: int) -> Finding:
    mine, theirs = user(os.geteuid()), user(owner)
    return warning(check, f"{path} is {theirs}'s, and this runs as {mine}", f"run as {theirs}")


def user(number: int) -> str:
    """A user's name, or the number where it has none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
