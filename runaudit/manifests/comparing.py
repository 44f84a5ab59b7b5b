"""Holds what a manifest promises of one file against what was read of it."""

import msgspec

from runaudit.manifests.entry import Entry, Malformed, Outcome, Result
from runaudit.manifests.locating import Found, Location, Unsafe, Unseen
from runaudit.manifests.names import shown
from runaudit.manifests.pointer import Pointer
from runaudit.model.trouble import Trouble


class Content(msgspec.Struct, frozen=True, gc=False):
    """What was read of a file: its digest, how many bytes, and the Git LFS pointer that it is, if it is one."""

    digest: str
    size: int
    pointer: Pointer | None = None


class Absent(msgspec.Struct, frozen=True):
    """Nothing lies at the path. `why` adds to that: a link to nothing, a name that differs by case."""

    why: str | None = None


class Outside(msgspec.Struct, frozen=True):
    """The path leads out of the folder by way of a link. It was not opened."""

    why: str


Observation = Content | Absent | Outside | Trouble


def compare(entry: Entry, location: Location, seen: Observation) -> Result:
    """The result for one entry; `seen` is what lies at its location."""
    if isinstance(location, Found) and isinstance(seen, Content) and location.name == entry.path:
        return _content(entry, seen, None)
    at = location.name if not isinstance(location, Unsafe) and location.name != entry.path else None
    if isinstance(location, Unsafe):
        return _result(entry, "unsafe-path", f"unsafe path, never opened: {location.reason}", at)
    match seen:
        case Outside(why):
            return _result(entry, "unsafe-path", f"unsafe path, never opened: {why}", at)
        case Absent(why):
            like = location.like if isinstance(location, Unseen) else None
            more = why or (f"{like} is there, whose name differs by case" if like else None)
            return _result(entry, "missing", f"missing: {more}" if more else "missing", at)
        case Trouble():
            return _result(entry, "unreadable", f"unreadable: {seen.message}", at)
        case Content():
            return _content(entry, seen, at)


def _content(entry: Entry, seen: Content, at: str | None) -> Result:
    agrees = seen.digest == entry.digest
    if agrees and entry.size in (None, seen.size):
        # by position, which takes half the time: this one is made for every file
        pointer = seen.pointer is not None
        return Result(
            entry.path,
            "verified",
            "verified",
            entry.source,
            entry.line,
            None,
            None,
            at,
            seen.size,
            seen.digest,
            pointer,
        )
    expected, found = _told(entry.digest, entry.size), _told(seen.digest, seen.size)
    if agrees:
        message = f"different: the digest agrees, the size does not ({seen.size} bytes, {entry.size} stated)"
        return _result(entry, "different", message, at, expected=expected, found=found)
    if seen.pointer is not None:
        message = "a Git LFS pointer, content not downloaded"
        if seen.pointer.oid != entry.digest:
            message = "a Git LFS pointer to other content than the manifest lists"
        return _result(entry, "lfs-pointer", message, at, expected=expected, found=found)
    return _result(
        entry, "different", "different: the content is not what the manifest lists", at, expected=expected, found=found
    )


def _told(digest: str, size: int | None) -> str:
    return f"sha256:{digest}" if size is None else f"sha256:{digest}, {size} bytes"


def _result(
    entry: Entry,
    outcome: Outcome,
    message: str,
    at: str | None = None,
    *,
    expected: str | None = None,
    found: str | None = None,
) -> Result:
    return Result(
        path=entry.path,
        outcome=outcome,
        message=shown(message),
        source=entry.source,
        line=entry.line,
        expected=expected,
        found=found,
        at=at,
    )


def of_self(entry: Entry) -> Result:
    """The result for the entry that lists the manifest itself."""
    return _result(entry, "self", "self entry: a manifest cannot vouch for itself")


def of_malformed(entry: Malformed) -> Result:
    """The result for an entry that promises nothing that could be checked."""
    message = shown(f"malformed: {entry.reason}")
    return Result(path=entry.path, outcome="malformed", message=message, source=entry.source, line=entry.line)


def of_conflict(entry: Entry, others: list[Entry]) -> Result:
    """The result for an entry whose path is listed with other content, too."""
    expected = "; ".join(dict.fromkeys(_told(other.digest, other.size) for other in others))
    message = f"conflicting: listed {len(others)} times, with different content"
    return _result(entry, "conflicting", message, expected=expected)
