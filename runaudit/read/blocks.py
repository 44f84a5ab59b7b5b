"""Bytes of a file of rows, block by block, with the content digest taken in the same pass. Plain or gzip.

A source fills a given buffer, like `readinto`. A gzip file that is cut or damaged ends early and says so; the bytes
before the cut are delivered, and the digest still covers the whole file as it lies on disk.
"""

import contextlib
import os
import zlib
from typing import Any, Protocol

from runaudit.model.digest import Algorithm, Digest
from runaudit.model.trouble import Trouble
from runaudit.read import hashing

# zlib's window bits for a gzip member with its header and checksum
_GZIP = 31
_ONE_READ = 1 << 16
_ONE_STEP = 1 << 20


class Source(Protocol):
    """Where rows come from. `end` is called once, after the last block."""

    def fill(self, buffer: memoryview) -> int: ...
    def end(self) -> tuple[Digest | None, Trouble | None]: ...


class Plain:
    """A plain file, or a byte range of one (`stop` None: to its end). Hashes only where an algorithm is given."""

    def __init__(
        self, descriptor: int, algorithm: Algorithm | None, *, start: int = 0, stop: int | None = None
    ) -> None:
        self._descriptor = descriptor
        self._algorithm = algorithm
        self._hasher = hashing.hasher(algorithm) if algorithm else None
        self._at = start
        self._stop = stop

    def fill(self, buffer: memoryview) -> int:
        """Reads at most `len(buffer)` bytes. Raises OSError."""
        if self._stop is not None:
            buffer = buffer[: max(0, self._stop - self._at)]
        got = os.preadv(self._descriptor, [buffer], self._at)
        self._at += got
        if self._hasher is not None:
            self._hasher.update(buffer[:got])
        return got

    def end(self) -> tuple[Digest | None, Trouble | None]:
        """The digest of what was read."""
        if self._hasher is None or self._algorithm is None:
            return None, None
        return Digest(algorithm=self._algorithm, hex=self._hasher.hexdigest()), None


class Gzip:
    """A gzip file, with one member or several; zero bytes behind a member are padding."""

    def __init__(self, descriptor: int, algorithm: Algorithm) -> None:
        self._descriptor = descriptor
        self._algorithm = algorithm
        self._hasher = hashing.hasher(algorithm)
        self._member: Any = None
        self._packed = b""
        self._plain = memoryview(b"")
        self._ended = False
        self._trouble: Trouble | None = None

    def fill(self, buffer: memoryview) -> int:
        """Decompresses at most `len(buffer)` bytes; 0 at the end, and where the file is damaged. Raises OSError."""
        while not self._plain and not self._ended:
            self._plain = memoryview(self._next())
        got = min(len(buffer), len(self._plain))
        buffer[:got] = self._plain[:got]
        self._plain = self._plain[got:]
        return got

    def _next(self) -> bytes:
        """Some more decompressed bytes, perhaps none."""
        self._packed = self._packed or self._read()
        if not self._packed:
            self._stop("it ends inside a member" if self._member else None)
            return b""
        if self._member is None:
            self._packed = self._packed.lstrip(b"\0")
            if not self._packed:
                return b""
            self._member = zlib.decompressobj(_GZIP)
        return self._decompressed()

    def _decompressed(self) -> bytes:
        before = self._member.copy()
        try:
            plain: bytes = self._member.decompress(self._packed, _ONE_STEP)
        except zlib.error as error:
            self._stop(str(error))
            return _before_the_damage(before, self._packed)
        self._packed = self._member.unconsumed_tail
        if self._member.eof:
            self._packed = self._member.unused_data
            self._member = None
        return plain

    def _stop(self, reason: str | None) -> None:
        self._ended = True
        if reason is not None:
            self._trouble = Trouble(id="truncated-gzip", message=f"the gzip file is cut or damaged: {reason}")

    def _read(self) -> bytes:
        data = os.read(self._descriptor, _ONE_READ)
        self._hasher.update(data)
        return data

    def end(self) -> tuple[Digest | None, Trouble | None]:
        """The digest of the compressed file, and what is wrong with it."""
        while self._read():
            pass
        return Digest(algorithm=self._algorithm, hex=self._hasher.hexdigest()), self._trouble


def _before_the_damage(member: Any, packed: bytes) -> bytes:
    """What comes out of a member before its damaged byte."""
    found: list[bytes] = []
    with contextlib.suppress(zlib.error):
        found.extend(member.decompress(packed[at : at + 1]) for at in range(len(packed)))
    return b"".join(found)
