"""Bytes of a file of rows, block by block, with the content digest taken in the same pass. Plain or gzip.

A source fills a given buffer, like `readinto`. A gzip file that is cut or damaged ends early and says so; the bytes
before the cut are delivered, and the digest still covers the whole file as it lies on disk.
"""

import gzip
import io
import os
import zlib
from typing import Protocol

from runaudit.model.digest import Algorithm, Digest
from runaudit.model.trouble import Trouble
from runaudit.read import hashing


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


class _HashedFile(io.RawIOBase):
    """A raw file whose every byte goes through a hasher on its way to the decompressor."""

    def __init__(self, descriptor: int, algorithm: Algorithm) -> None:
        self._descriptor = descriptor
        self.hasher = hashing.hasher(algorithm)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed says Buffer
        got = os.readv(self._descriptor, [buffer])
        self.hasher.update(buffer[:got])
        return got


class Gzip:
    """A gzip file, with one member or several."""

    def __init__(self, descriptor: int, algorithm: Algorithm) -> None:
        self._algorithm = algorithm
        self._file = _HashedFile(descriptor, algorithm)
        self._plain = gzip.GzipFile(fileobj=io.BufferedReader(self._file, 1 << 20), mode="rb")
        self._trouble: Trouble | None = None

    def fill(self, buffer: memoryview) -> int:
        """Decompresses at most `len(buffer)` bytes; 0 at the end, and where the file is damaged. Raises OSError."""
        if self._trouble is not None:
            return 0
        try:
            return self._plain.readinto(buffer)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self._trouble = Trouble(id="truncated-gzip", message=f"the gzip file is cut or damaged: {error}")
            return 0

    def end(self) -> tuple[Digest | None, Trouble | None]:
        """The digest of the compressed file, and what is wrong with it."""
        rest = memoryview(bytearray(1 << 20))
        while self._file.readinto(rest):
            pass
        return Digest(algorithm=self._algorithm, hex=self._file.hasher.hexdigest()), self._trouble
