"""Appends whole lines to a file that is only ever appended to.

One write for each call, on a descriptor opened for appending, so that two writers never mix within a line. A last line
that was cut is ended first: what follows must not be lost with it. A line that cannot be written whole is taken back.
"""

import contextlib
import errno
import os
import stat

from runaudit.errors import OutputError
from runaudit.write.atomic import sync_folder


def append_line(path: str, line: bytes) -> None:
    """Appends `line`, which ends with a line break, and flushes it to the disk.

    Raises OutputError, also when a link or anything but a plain file lies there. Then the file holds what it held.
    """
    try:
        descriptor, made = _opened(path)
        try:
            _append(descriptor, path, line)
        except BaseException:
            if made:
                _take_away(descriptor, path)
            raise
        finally:
            # The line is on the disk by now, or its error is under way: this one would only hide it.
            with contextlib.suppress(OSError):
                os.close(descriptor)
    except OSError as error:
        reason = "a link lies there" if error.errno == errno.ELOOP else error.strerror or error
        raise OutputError(f"{path}: cannot be appended to: {reason}") from error
    if made:
        sync_folder(os.path.dirname(path) or ".")


def _opened(path: str) -> tuple[int, bool]:
    """A descriptor for appending, and whether the file was made by this call."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, flags | os.O_EXCL, 0o666), True
    except FileExistsError:
        return os.open(path, flags, 0o666), False


def _append(descriptor: int, path: str, line: bytes) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OutputError(f"{path}: not a plain file; nothing was appended")
    cut = status.st_size > 0 and os.pread(descriptor, 1, status.st_size - 1) != b"\n"
    data, written = b"\n" + line if cut else line, 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
        os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            _take_back(descriptor, status.st_size, written)
        raise


def _take_back(descriptor: int, start: int, written: int) -> None:
    """Cuts off what was written after `start`, unless somebody else has appended since."""
    if written and os.fstat(descriptor).st_size == start + written:
        os.ftruncate(descriptor, start)


def _take_away(descriptor: int, path: str) -> None:
    """Removes a file that this writer made and that holds nothing."""
    with contextlib.suppress(OSError):
        if os.fstat(descriptor).st_size == 0:
            os.unlink(path)
