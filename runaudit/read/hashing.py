"""Content digests. The only module that knows the hashing libraries.

Files up to 1 MiB are read with one call; larger ones through a reused buffer. A digest over more than
`SAMPLE_ABOVE` bytes can cover the first and last `SAMPLE_PART` only, and says so (`sampled`).
"""

import hashlib
import os
from typing import Protocol

import xxhash

from runaudit.model.digest import Algorithm, Digest

SAMPLE_ABOVE = 1 << 30
SAMPLE_PART = 16 << 20
_ONE_READ = 1 << 20


class Hasher(Protocol):
    """What hashing libraries have in common."""

    def update(self, data: bytes | bytearray | memoryview, /) -> object: ...
    def hexdigest(self) -> str: ...


def hasher(algorithm: Algorithm) -> Hasher:
    """A new, empty hasher."""
    return xxhash.xxh3_128() if algorithm == "xxh3" else hashlib.sha256()


def of_bytes(data: bytes | memoryview, algorithm: Algorithm = "xxh3") -> Digest:
    """The digest of some bytes in memory."""
    running = hasher(algorithm)
    running.update(data)
    return Digest(algorithm=algorithm, hex=running.hexdigest())


def sha256_text(data: bytes) -> str:
    """The SHA-256 of some bytes as documents spell it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def short(data: bytes | memoryview) -> int:
    """A 64-bit fingerprint for telling equal bytes apart in memory; never written anywhere."""
    return xxhash.xxh3_64_intdigest(data)


def of_descriptor(descriptor: int, size: int, algorithm: Algorithm = "xxh3", *, sample: bool = False) -> Digest:
    """The digest of an open file, read from its start to its end.

    `size` is what stat said: it chooses how to read, never how much. With `sample`, a file above SAMPLE_ABOVE is
    covered by its first and last SAMPLE_PART bytes only.
    """
    running = hasher(algorithm)
    if sample and size > SAMPLE_ABOVE:
        for start in (0, size - SAMPLE_PART):
            os.lseek(descriptor, start, os.SEEK_SET)
            _feed(running, descriptor, SAMPLE_PART)
        return Digest(algorithm=algorithm, hex=running.hexdigest(), sampled=True)
    if size < _ONE_READ:
        data = os.read(descriptor, size + 1)
        running.update(data)
        # just what stat said, though one byte more was asked for: that is its end
        ended = len(data) == size
        while not ended and (data := os.read(descriptor, _ONE_READ)):
            running.update(data)
        return Digest(algorithm=algorithm, hex=running.hexdigest())
    _feed(running, descriptor, None)
    return Digest(algorithm=algorithm, hex=running.hexdigest())


def _feed(running: Hasher, descriptor: int, limit: int | None) -> None:
    buffer = memoryview(bytearray(_ONE_READ))
    while limit is None or limit > 0:
        got = os.readv(descriptor, [buffer if limit is None else buffer[: min(limit, _ONE_READ)]])
        if not got:
            return
        running.update(buffer[:got])
        limit = None if limit is None else limit - got
