"""Remembers SHA-256 digests of files that did not change, across runs.

A digest is kept for (device, inode, size, mtime, ctime) and given back only when all five are the same. A file that
changed within `FINE_GRAIN_NS` before the run began, or `COARSE_GRAIN_NS` where times are whole seconds, is neither kept
nor given back: it could change again within one tick of the clock without a trace. The cache file holds no names. It
ends in a digest of itself, so that damage is noticed.
"""

import hashlib
import os
import struct
from typing import Self

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable
from runaudit.read.identity import Identity
from runaudit.read.places import open_plain

FINE_GRAIN_NS = 100_000_000
COARSE_GRAIN_NS = 2_000_000_000
_SECOND = 1_000_000_000
_MAGIC = b"runaudit hash cache 1\n"
_STATE = struct.Struct("<QQQqq")
_INODE = 16
_DIGEST = 32
_RECORD = _STATE.size + _DIGEST
_SEAL = 32


class HashCache:
    """Digests by identity. `began_ns` is when the run began, in nanoseconds of the clock that stamps files."""

    def __init__(self, began_ns: int) -> None:
        self._old = began_ns - FINE_GRAIN_NS
        self._very_old = began_ns - COARSE_GRAIN_NS
        # by packed identity, as they stand in the file: one lookup, nothing to decode
        self._digests: dict[bytes, bytes] = {}
        self.changed = False

    def get(self, path: str) -> tuple[str, int] | None:
        """Hex digest and size of the file at a resolved path; None when it has to be hashed."""
        if not self._digests:
            return None
        try:
            status = os.lstat(path)
            mtime_ns, ctime_ns = status.st_mtime_ns, status.st_ctime_ns
            state = _STATE.pack(status.st_dev, status.st_ino, status.st_size, mtime_ns, ctime_ns)
        except (OSError, struct.error):
            return None
        digest = self._digests.get(state)
        if digest is None or not (mtime_ns <= self._very_old >= ctime_ns or self._settled(mtime_ns, ctime_ns)):
            return None
        return digest.hex(), status.st_size

    def keep(self, identity: Identity, digest: str) -> None:
        """Remembers the digest of a file that was in this state before and after it was read."""
        state = _packed(identity)
        if state and self._settled(identity.mtime_ns, identity.ctime_ns):
            self._digests[state] = bytes.fromhex(digest)
            self.changed = True

    def _settled(self, mtime_ns: int, ctime_ns: int) -> bool:
        newest = max(mtime_ns, ctime_ns)
        # a ctime of a whole second is the mark of a file system that has no finer times
        return newest <= self._very_old or (newest <= self._old and ctime_ns % _SECOND != 0)

    def encode(self) -> bytes:
        """The bytes of the cache file; `decode` reads them back."""
        # one record for each inode: an earlier state of it is gone for good
        latest = {state[:_INODE]: state + digest for state, digest in self._digests.items()}
        body = _MAGIC + b"".join([latest[inode] for inode in sorted(latest)])
        return body + hashlib.sha256(body).digest()

    @classmethod
    def decode(cls, data: bytes, began_ns: int) -> Self | Trouble:
        """The cache in the bytes of a cache file, or why it is not used."""
        body, seal = data[:-_SEAL], data[-_SEAL:]
        if hashlib.sha256(body).digest() != seal or (len(body) - len(_MAGIC)) % _RECORD:
            return Trouble(id="cache-ignored", message="the cache is damaged; every file was hashed")
        cache = cls(began_ns)
        cache._digests = {
            body[start : start + _STATE.size]: body[start + _STATE.size : start + _RECORD]
            for start in range(len(_MAGIC), len(body), _RECORD)
        }
        return cache


def _packed(identity: Identity) -> bytes:
    """The identity as it stands in the file; empty where a time does not fit (some file systems know the year 1)."""
    try:
        return _STATE.pack(*identity)
    except struct.error:
        return b""


def load(path: str, began_ns: int) -> HashCache | Trouble:
    """The cache at `path`; empty when nothing is there. A file that is no cache at all is told as `wrong-kind`."""
    try:
        descriptor = open_plain(path)
    except FileNotFoundError:
        return HashCache(began_ns)
    except OSError as error:
        return Trouble(id="wrong-kind", message=unreadable(error).message)
    with open(descriptor, "rb") as file:
        data = file.read()
    if data and not data.startswith(_MAGIC[: max(len(data), 1)]):
        return Trouble(id="wrong-kind", message="it is no cache of digests and was left as it is")
    return HashCache.decode(data, began_ns)
