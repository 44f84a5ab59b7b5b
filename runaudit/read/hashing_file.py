"""Hashes one plain file with SHA-256 in one pass, and notices when it changes meanwhile."""

import hashlib
import os
from collections.abc import Callable

import msgspec

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable
from runaudit.read.identity import Identity, identity_of
from runaudit.read.places import open_with_status

# fits into the second cache of a core, where the hash finds what was just read
BUFFER = 1 << 18
_SMALL = 1024


class Hashed(msgspec.Struct, frozen=True, gc=False):
    """The digest of a file, the bytes read, its state, the same before and after, and the content of a tiny file."""

    digest: str
    size: int
    identity: Identity
    content: bytes = b""


Outcome = Hashed | Trouble


def hash_file(path: str, buffer: memoryview, stop: Callable[[], bool]) -> Outcome:
    """What came of the file at a resolved path. A large file is given up once `stop` says so."""
    try:
        descriptor, status = open_with_status(path)
        try:
            return _read(descriptor, status, buffer, stop)
        finally:
            os.close(descriptor)
    except OSError as error:
        return unreadable(error)


def _read(descriptor: int, before: os.stat_result, buffer: memoryview, stop: Callable[[], bool]) -> Outcome:
    got = os.readv(descriptor, [buffer])
    running = hashlib.sha256(buffer[:got])
    size = got
    content = bytes(buffer[:got]) if got <= _SMALL else b""
    while got and size != before.st_size and not stop():
        got = os.readv(descriptor, [buffer])
        running.update(buffer[:got])
        size += got
    after = os.fstat(descriptor)
    if size != after.st_size or after.st_mtime_ns != before.st_mtime_ns or after.st_ctime_ns != before.st_ctime_ns:
        return Trouble(id="document-unreadable", message="it changed while it was read")
    return Hashed(running.hexdigest(), size, identity_of(after), content)
