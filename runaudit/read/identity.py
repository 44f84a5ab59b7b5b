"""What tells one state of a file from another without reading it: device, inode, size, mtime and ctime."""

import os
from typing import NamedTuple


class Identity(NamedTuple):
    """The state of a file, times in nanoseconds. Writing to a file always changes its ctime, save within one tick."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def identity_of(status: os.stat_result) -> Identity:
    """The identity that `stat` tells."""
    return Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
