"""A small disk of our own: an ext4 in a file, which can be filled, and made to fail."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PROGRAMS: Final = "/usr/sbin:/usr/bin:/sbin:/bin"


class NoVolumeError(Exception):
    """This machine lets us mount nothing, for the reason given."""


class Volume:
    """A mounted file system, at ``folder``."""

    def __init__(self, folder: Path, image: Path) -> None:
        self.folder = folder
        self._image = image
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leave no byte; what a file has already, it keeps."""
        with self._ballast.open("ab") as file:
            while room := _room(self.folder):
                try:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), room)
                except OSError:
                    if room <= 65536:
                        return

    def clear(self) -> None:
        """Give the room back."""
        self._ballast.unlink(missing_ok=True)

    def fail(self) -> None:
        """Let it become read-only at once, open files too, as Linux does when a disk fails."""
        _run("mount", "-o", "remount,abort", str(self.folder))
        try:
            (self.folder / "ballast").touch()
        except OSError:
            return
        raise AssertionError("it can still be written")

    def mend(self) -> None:
        """Check it and mount it again; nobody may have a file open.

        It goes on as a copy: a mount namespace that another program made in the meantime would
        hold the failed one.
        """
        self.unmount()
        failed, self._image = self._image, self._image.with_name(f"{self._image.name}-mended")
        _run("cp", "--sparse=always", str(failed), str(self._image))
        failed.unlink()
        checked = subprocess.run(
            ["e2fsck", "-fy", str(self._image)],
            env={"PATH": _PROGRAMS},
            capture_output=True,
            check=False,
        )
        assert checked.returncode in {0, 1}, checked  # 1: errors were corrected
        self.mount()
        (self.folder / "ballast").touch()
        self.clear()

    def mount(self, how: str = "loop") -> None:
        """Mount it; ``loop,ro`` for reading only."""
        _run("mount", "-o", how, str(self._image), str(self.folder))

    def unmount(self) -> None:
        """Take it away."""
        _run("umount", str(self.folder))


@contextmanager
def volume(folder: Path, megabytes: int) -> Iterator[Volume]:
    """A new volume, mounted at ``folder``, which is made. Raises :class:`NoVolumeError`."""
    if os.geteuid() != 0:
        raise NoVolumeError("only root may mount a file system")
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="zarf-volume-") as place:
        image = Path(place) / "image"
        with image.open("wb") as file:
            file.truncate(megabytes << 20)
        found = Volume(folder, image)
        try:
            _run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
            found.mount()
        except (OSError, subprocess.CalledProcessError) as error:
            raise NoVolumeError(f"no loop device can be mounted: {error}") from None
        (folder / "lost+found").rmdir()
        try:
            yield found
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


def _room(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_bsize


def _run(*command: str) -> None:
    subprocess.run(command, env={"PATH": _PROGRAMS}, check=True, capture_output=True)
