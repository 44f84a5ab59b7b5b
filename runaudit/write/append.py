"""Appends whole lines to a file that is only ever appended to.

One write for each call, on a descriptor opened for appending, so that two writers never mix within a line. A last line
that was cut is ended first: what follows must not be lost with it.
"""

import os
import stat

from runaudit.errors import OutputError


def append_line(path: str, line: bytes) -> None:
    """Appends `line`, which ends with a line break, and flushes it to the disk.

    Raises OutputError, also when a link or anything but a plain file lies there.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, 0o666)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise OutputError(f"{path}: not a plain file; nothing was appended")
            cut = status.st_size > 0 and os.pread(descriptor, 1, status.st_size - 1) != b"\n"
            _write(descriptor, b"\n" + line if cut else line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OutputError(f"{path}: cannot be appended to: {error.strerror or error}") from error


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
