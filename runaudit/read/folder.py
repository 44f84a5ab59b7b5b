"""Lists one folder, and digests what lies below one. Links are named, never followed."""

import os
import stat
from collections.abc import Iterator
from operator import attrgetter

import msgspec

from runaudit.model.digest import Algorithm
from runaudit.model.relative import shown
from runaudit.model.task import TreeEvidence
from runaudit.model.trouble import Trouble
from runaudit.read import hashing
from runaudit.read.documents import unreadable
from runaudit.read.listing import ItemKind
from runaudit.read.places import open_plain

_NAME = attrgetter("name")
_KINDS: dict[int, ItemKind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


class Item(msgspec.Struct, frozen=True):
    """One entry of a folder. Size in bytes and time in nanoseconds are those of a file or folder, not of a link."""

    name: str
    path: str
    kind: ItemKind
    size: int
    mtime_ns: int


def list_folder(real: str) -> list[Item] | Trouble:
    """The entries of a resolved folder, sorted by name."""
    try:
        with os.scandir(real) as entries:
            return sorted(map(_item, entries), key=_NAME)
    except OSError as error:
        return unreadable(error)


def _item(entry: os.DirEntry[str]) -> Item:
    status = entry.stat(follow_symlinks=False)
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other")
    return Item(entry.name, entry.path, kind, status.st_size, status.st_mtime_ns)


def walk(real: str, prefix: str = "") -> Iterator[tuple[str, Item | Trouble]]:
    """Everything below a resolved folder with its relative path, depth first, in name order. No link is followed."""
    waiting: list[tuple[str, str]] = [(real, prefix)]
    while waiting:
        folder, above = waiting.pop()
        items = list_folder(folder)
        if isinstance(items, Trouble):
            yield above.rstrip("/"), items
            continue
        for item in items:
            yield above + item.name, item
        waiting += [(item.path, f"{above}{item.name}/") for item in reversed(items) if item.kind == "folder"]


def tree_of(items: list[tuple[str, Item]], algorithm: Algorithm) -> TreeEvidence:
    """One digest over files (and links) by relative path.

    Hashed are lines `path NUL size LF` in the order of the paths' bytes; for a link `path NUL -> target LF`. With
    sha256 the line of a file is `path NUL size NUL hex LF` and covers its content.
    """
    running = hashing.hasher(algorithm)
    count = total = 0
    for path, item in sorted(items, key=lambda pair: shown(pair[0]).encode()) if len(items) > 1 else items:
        if item.kind == "folder":
            continue
        count += 1
        total += item.size if item.kind == "file" else 0
        running.update(f"{shown(path)}\0{_told(item, algorithm)}\n".encode())
    return TreeEvidence(files=count, bytes=total, digest=f"{algorithm}:{running.hexdigest()}")


def _target(link: str) -> str:
    try:
        return shown(os.readlink(link))
    except OSError:
        return "unreadable"


def _told(item: Item, algorithm: Algorithm) -> str:
    if item.kind == "link":
        return f"-> {_target(item.path)}"
    if item.kind == "other" or algorithm != "sha256":
        return str(item.size)
    try:
        descriptor = open_plain(item.path)
        try:
            return f"{item.size}\0{hashing.of_descriptor(descriptor, item.size, 'sha256').hex}"
        finally:
            os.close(descriptor)
    except OSError:
        return f"{item.size}\0unreadable"
