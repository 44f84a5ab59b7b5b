"""Hashes the files of a manifest, with a cache that survives an interruption."""

import os
from collections.abc import Callable, Sequence

import msgspec

from runaudit.errors import OutputError, UsageError
from runaudit.manifests.comparing import Content
from runaudit.manifests.names import shown
from runaudit.manifests.pointer import pointer
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.hash_cache import HashCache, load
from runaudit.read.hashing_file import Hashed
from runaudit.read.hashing_many import hash_many
from runaudit.write import atomic

SAVE_EVERY = 256 << 20
Progress = Callable[[int, int], None]


class Contents(msgspec.Struct, frozen=True):
    """What was read of each path, in their order; how many digests the cache gave, and what is odd about the cache."""

    seen: list[Content | Trouble]
    remembered: int
    findings: tuple[Finding, ...]


def default_workers() -> int:
    """All cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_contents(
    paths: Sequence[str],
    *,
    workers: int | None = None,
    cache: str | None = None,
    began_ns: int | None = None,
    progress: Progress | None = None,
) -> Contents:
    """The content of each of the resolved paths.

    The cache is saved after every 256 MiB that were hashed, at the end, and when the work is interrupted.
    Raises UsageError when a cache is given without the time at which the work began, or is a folder.
    """
    store = _Store(cache, began_ns)
    seen: list[Content | Trouble | None] = [*store.remembered(paths)]
    asked = [number for number, content in enumerate(seen) if content is None]
    hashing = hash_many([paths[number] for number in asked], workers=workers or default_workers())
    try:
        for done, (index, outcome) in enumerate(hashing, len(paths) - len(asked) + 1):
            seen[asked[index]] = _content(outcome, store)
            if progress is not None:
                progress(done, len(paths))
    finally:
        hashing.close()
        store.save()
    whole = [one for one in seen if one is not None]
    return Contents(seen=whole, remembered=len(paths) - len(asked), findings=tuple(store.findings))


def _content(outcome: Hashed | Trouble, store: "_Store") -> Content | Trouble:
    if isinstance(outcome, Trouble):
        return outcome
    found = pointer(outcome.content) if outcome.content else None
    if found is None:
        # a pointer is small and has to be seen again each time
        store.keep(outcome)
    return Content(outcome.digest, outcome.size, found)


class _Store:
    """The cache file, if there is one: read at the start, replaced whole, never when it is somebody else's file."""

    def __init__(self, path: str | None, began_ns: int | None) -> None:
        self.path = path
        self.cache: HashCache | None = None
        self.findings: list[Finding] = []
        self._unsaved = 0
        if path is None:
            return
        if began_ns is None:
            raise UsageError("a cache needs began_ns, the time at which the work began")
        if os.path.isdir(path):
            raise UsageError(f"{path}: the cache is a file, this is a folder")
        read = load(path, began_ns)
        if isinstance(read, HashCache):
            self.cache = read
            return
        self._told(read.message)
        if read.id != "wrong-kind":
            self.cache = HashCache(began_ns)

    def remembered(self, paths: Sequence[str]) -> list[Content | None]:
        if self.cache is None:
            return [None] * len(paths)
        return [None if known is None else Content(*known) for known in map(self.cache.get, paths)]

    def keep(self, outcome: Hashed) -> None:
        if self.cache is None:
            return
        self.cache.keep(outcome.identity, outcome.digest)
        self._unsaved += outcome.size
        if self._unsaved >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        if self.cache is None or self.path is None or not self.cache.changed:
            return
        try:
            atomic.replace(self.path, [self.cache.encode()])
        except OutputError as error:
            self._told(str(error).removeprefix(f"{self.path}: "))
            self.cache = None
            return
        self.cache.changed = False
        self._unsaved = 0

    def _told(self, message: str) -> None:
        self.findings.append(Finding(id="cache-ignored", message=shown(message), path=shown(self.path or "")))
