"""Replaces one file so that a reader, a crash or a full disk leaves the old document or the new one, always whole.

The new bytes go to `.<name>.<random>.tmp` in the same folder, created exclusively with the permissions that a plain
write would give, are flushed and fsynced, then renamed over the old name, and the folder is fsynced. A link at the
target's name is replaced, not followed. What is no file and leads to none (a folder, a pipe, a device) is left alone:
a rename would put a file in its place. Leftovers of killed writers are recognised by `is_leftover` and never deleted.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterable

from runaudit.errors import OutputError

_SYSTEM = ("/dev/", "/proc/")
_SHARED_MEMORY = "/dev/shm/"  # noqa: S108  # a place that users write to, unlike its siblings
_LEFTOVER = re.compile(r"\.(?P<target>.+)\.[0-9a-f]{12}\.tmp\Z")
_FOREIGN_LEFTOVER = re.compile(r"\.?(?P<target>.+?)(?:\.[0-9A-Za-z_]{1,16})?\.tmp\Z")


def is_leftover(name: str) -> bool:
    """Whether a file name is that of a temporary file, ours or another writer's."""
    return _FOREIGN_LEFTOVER.match(name) is not None


def is_own_leftover(name: str) -> bool:
    """Whether a file name is that of a temporary file of this module."""
    return _LEFTOVER.match(name) is not None


def replace(path: str, chunks: Iterable[bytes]) -> None:
    """Writes the chunks to `path` atomically; makes the folder when it is missing.

    Raises OutputError, with the old document untouched and no temporary file left, when that is not possible.
    """
    _refuse_special(path)
    folder = os.path.dirname(path) or "."
    temporary = os.path.join(folder, f".{os.path.basename(path)}.{os.urandom(6).hex()}.tmp")
    try:
        os.makedirs(folder, exist_ok=True)
        try:
            _write_whole(temporary, chunks)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(folder)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


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


def _write_whole(path: str, chunks: Iterable[bytes]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
    with open(descriptor, "wb") as file:
        file.writelines(chunks)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: str) -> None:
    # Some file systems refuse fsync on a folder; the rename itself is done by then.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
