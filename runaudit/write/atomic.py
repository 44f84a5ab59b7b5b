"""Replaces one file so that a reader, a crash or a full disk leaves the old document or the new one, always whole.

The new bytes go to `.<name>.<random>.tmp` in the same folder, created exclusively with the permissions of the old
document (or those that a plain write would give), are flushed and fsynced, then renamed over the old name, and the
folder is fsynced. A link at the target's name is replaced, not followed. What is no file and leads to none (a folder, a
pipe, a device) is left alone: a rename would put a file in its place. Leftovers of killed writers are recognised by
`is_leftover` and never deleted.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterable

from runaudit.errors import OutputError

_SYSTEM = ("/dev/", "/proc/")
_SHARED_MEMORY = "/dev/shm/"  # noqa: S108  # a place that users write to, unlike its siblings
# a name may hold a line break as well
_LEFTOVER = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{12}\.tmp\Z", re.DOTALL)
_FOREIGN_LEFTOVER = re.compile(r"\.?(?P<target>.+?)(?:\.[0-9A-Za-z_]{1,16})?\.tmp\Z", re.DOTALL)
# what is put around a name must not make it longer than a file system takes
_LONGEST_NAME = 200


def is_leftover(name: str) -> bool:
    """Whether a file name is that of a temporary file, ours or another writer's."""
    return _FOREIGN_LEFTOVER.match(name) is not None


def is_own_leftover(name: str) -> bool:
    """Whether a file name is that of a temporary file of this module."""
    return _LEFTOVER.match(name) is not None


def replace(path: str, chunks: Iterable[bytes]) -> None:
    """Writes the chunks to `path` atomically; makes the folder when it is missing.

    Raises OutputError, with the old document untouched and neither a temporary file nor a new folder left, when that is
    not possible.
    """
    _refuse_special(path)
    folder = os.path.dirname(path) or "."
    temporary = os.path.join(folder, _temporary_name(os.path.basename(path)))
    missing = _missing(folder)
    try:
        try:
            os.makedirs(folder, exist_ok=True)
            _write_whole(temporary, chunks, _mode(path))
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            # A folder that is not empty is somebody else's by now, and stays.
            with contextlib.suppress(OSError):
                for made in missing:
                    os.rmdir(made)
            raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    sync_folder(folder)


def _refuse_special(path: str) -> None:
    """Raises OutputError where something lies that is no file, or where the system keeps its devices and streams."""
    whole = os.path.abspath(path)
    if whole.startswith(_SYSTEM) and not whole.startswith(_SHARED_MEMORY):
        raise OutputError(f"{path}: a place of the system, not of files; nothing was written")
    try:
        mode = os.stat(path).st_mode
    except OSError:
        # nothing there, or a link that leads nowhere
        return
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path}: cannot be written: a folder lies there")
    if not stat.S_ISREG(mode):
        raise OutputError(f"{path}: neither file nor folder; it was left alone, and nothing was written")


def _temporary_name(name: str) -> str:
    short = os.fsdecode(os.fsencode(name)[:_LONGEST_NAME])
    return f".{short}.{os.urandom(6).hex()}.tmp"


def _missing(folder: str) -> list[str]:
    """The folders that are not there yet, the deepest first."""
    missing = []
    while folder and not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _mode(path: str) -> int | None:
    """The permissions of the document that is replaced; None when no plain file lies there."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return stat.S_IMODE(status.st_mode) & 0o777 if stat.S_ISREG(status.st_mode) else None


def _write_whole(path: str, chunks: Iterable[bytes], mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags, 0o666 if mode is None else mode)
    with open(descriptor, "wb") as file:
        if mode is not None:
            # The mask took some away. Not every file system keeps permissions.
            with contextlib.suppress(OSError):
                os.fchmod(file.fileno(), mode)
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: str) -> None:
    """Flushes the names in a folder to the disk, where the file system can."""
    # Some file systems refuse fsync on a folder; the rename itself is done by then.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
