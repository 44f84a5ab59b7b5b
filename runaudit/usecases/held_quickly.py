"""Looks only at names, or at names and sizes, of everything that a summary lists: nothing is opened, nothing rebuilt.

One listing per parent folder, whatever the number of paths. What lies outside the folder is counted, not looked at.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from runaudit.judge.integrity import TASK_FILES, listed_files
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.listing import ItemKind, Listing, Listings, names_in
from runaudit.read.places import Places
from runaudit.read.workers import shared_out

Depth = Literal["names", "sizes", "content"]
# below this many folders, starting the processes takes longer than looking
_TOGETHER_ABOVE = 2000
_Expected = tuple[str, int | None, bool]


class Quick(msgspec.Struct):
    """What a look found; how many paths it looked at and how many lie outside; listed files, folders of tasks."""

    findings: list[Finding] = msgspec.field(default_factory=list)
    looked_at: int = 0
    outside: int = 0
    listed: set[str] = msgspec.field(default_factory=set)
    claimed: set[str] = msgspec.field(default_factory=set)


def look_quickly(
    summary: Mapping[str, Any], places: Places, depth: Depth, listings: Listings, workers: int = 1
) -> Quick:
    """Holds names (and sizes) of a summary's paths against its folder; folders that it lists stay in `listings`."""
    quick = Quick()
    by_parent: dict[str, list[_Expected]] = {}
    for expected in _expected(summary):
        path, _, folder = expected
        (quick.claimed if folder else quick.listed).add(path)
        cut = path.rfind("/")
        by_parent.setdefault(path[:cut] if cut > 0 else path[: cut + 1], []).append(expected)
    look = _Look(places, sizes=depth == "sizes")
    for seen in shared_out(list(by_parent.items()), look.into, workers, above=_TOGETHER_ABOVE):
        quick.outside += seen.outside
        quick.looked_at += seen.looked_at
        quick.findings += seen.findings
        if seen.listing is not None:
            listings.keep(seen.real, seen.listing)
    return quick


class _Seen(msgspec.Struct):
    """What one parent folder showed: its listing where it could be listed."""

    outside: int
    looked_at: int
    findings: list[Finding] = []
    real: str = ""
    listing: Listing | None = None


class _Look:
    """Looks into one parent folder at a time."""

    def __init__(self, places: Places, *, sizes: bool) -> None:
        self._places = places
        self._sizes = sizes

    def into(self, named: tuple[str, list[_Expected]]) -> _Seen:
        parent, expected = named
        places = self._places
        reachable = expected if _all_reachable(*named, places) else [e for e in expected if places.reachable(e[0])]
        seen = _Seen(len(expected) - len(reachable), len(reachable))
        if reachable:
            self._hold(parent, reachable, seen)
        return seen

    def _hold(self, parent: str, expected: list[_Expected], seen: _Seen) -> None:
        sight = self._places.look(parent or ".")
        trouble = sight.trouble("folder")
        present = names_in(sight.real) if sight.kind == "folder" else trouble or {}
        if isinstance(present, Trouble):
            seen.findings = [present.at(parent)]
            return
        if sight.kind == "folder":
            seen.real, seen.listing = sight.real, present
        found: list[Finding] = []
        for path, size, folder in expected:
            wanted: Literal["file", "folder"] = "folder" if folder else "file"
            name = path[path.rfind("/") + 1 :]
            kind = present.get(name)
            if kind != wanted or (size is not None and self._sizes):
                told = size if self._sizes else None
                found += _one(path, told, kind, f"{sight.real}/{name}", self._places, wanted)
        seen.findings = found


def _all_reachable(parent: str, expected: list[_Expected], places: Places) -> bool:
    """Whether the parent says it for all: what lies in a folder that may be looked at may be looked at, too."""
    return places.reachable(parent) and not any(path.endswith(("/", ".")) for path, _, _ in expected)


def _expected(summary: Mapping[str, Any]) -> Iterator[_Expected]:
    """Every path that the summary lists, its size where one is recorded, and whether it is a folder."""
    for path, told in listed_files(summary).items():
        yield path, _size(told), False
    for entry in summary["tasks"]:
        if not isinstance(entry, Mapping):
            continue
        evidence = entry.get("evidence")
        for name, field in TASK_FILES:
            if isinstance(file := entry.get(field), str):
                yield file, _size(evidence.get(name) if isinstance(evidence, Mapping) else None), False
        for field in ("verifier_logs", "artifacts"):
            if isinstance(below := entry.get(field), str):
                yield below, None, True


def _size(told: Any) -> int | None:
    size = told.get("size") if isinstance(told, Mapping) else None
    return size if isinstance(size, int) and not isinstance(size, bool) else None


def _one(
    path: str,
    size: int | None,
    kind: ItemKind | None,
    real: str,
    places: Places,
    wanted: Literal["file", "folder"],
) -> Iterator[Finding]:
    now = _size_of(real) if kind == wanted else None
    if kind is not None and now is None:
        sight = places.look(path)
        if (trouble := sight.trouble(wanted)) is not None:
            yield trouble.at(path)
            return
        now = sight.size if sight.present else None
    if now is None:
        yield Finding(id="file-missing", message="the summary lists it and it is not there", path=path)
    elif size is not None and now != size:
        message = f"the summary recorded {size} bytes, the file has {now} bytes"
        yield Finding("file-changed", message, path=path, expected=f"{size} bytes", found=f"{now} bytes")


def _size_of(real: str) -> int | None:
    """The size of a plain file of a resolved folder; None when another thing took its place meanwhile."""
    try:
        status = os.lstat(real)
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
