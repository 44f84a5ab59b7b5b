"""Looks only at names, or at names and sizes, of everything that a summary lists: nothing is opened, nothing rebuilt.

One listing per parent folder, whatever the number of paths. What lies outside the folder is counted, not looked at.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from runaudit.judge.integrity import TASK_FILES, listed_files
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.folder import Item, list_folder
from runaudit.read.places import Places

Depth = Literal["names", "sizes", "content"]
_Expected = tuple[str, int | None, bool]


class Quick(msgspec.Struct):
    """What a look found; how many paths it looked at and how many lie outside; listed files, folders of tasks."""

    findings: list[Finding] = msgspec.field(default_factory=list)
    looked_at: int = 0
    outside: int = 0
    listed: set[str] = msgspec.field(default_factory=set)
    claimed: set[str] = msgspec.field(default_factory=set)


def look_quickly(summary: Mapping[str, Any], places: Places, depth: Depth) -> Quick:
    """Holds names (and sizes) of a summary's paths against its folder."""
    quick = Quick()
    by_parent: dict[str, list[_Expected]] = {}
    for path, size, folder in _expected(summary):
        (quick.claimed if folder else quick.listed).add(path)
        if not places.reachable(path):
            quick.outside += 1
        else:
            by_parent.setdefault(os.path.dirname(path), []).append((path, size, folder))
    for parent, expected in by_parent.items():
        quick.looked_at += len(expected)
        quick.findings += _in_folder(parent, expected, places, sizes=depth == "sizes")
    return quick


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


def _in_folder(parent: str, expected: list[_Expected], places: Places, *, sizes: bool) -> Iterator[Finding]:
    sight = places.look(parent or ".")
    trouble = sight.trouble("folder")
    items = list_folder(sight.real) if sight.kind == "folder" else trouble
    if isinstance(items, Trouble):
        yield items.at(parent)
        return
    present = {item.name: item for item in items or ()}
    for path, size, folder in expected:
        yield from _one(path, size, present.get(os.path.basename(path)), places, folder=folder, sizes=sizes)


def _one(
    path: str, size: int | None, item: Item | None, places: Places, *, folder: bool, sizes: bool
) -> Iterator[Finding]:
    if item is None:
        yield Finding(id="file-missing", message="the summary lists it and it is not there", path=path)
        return
    wanted: Literal["file", "folder"] = "folder" if folder else "file"
    now = item.size
    if item.kind != wanted:
        sight = places.look(path)
        if (trouble := sight.trouble(wanted)) is not None:
            yield trouble.at(path)
            return
        now = sight.size
    if sizes and size is not None and now != size:
        message = f"the summary recorded {size} bytes, the file has {now} bytes"
        yield Finding("file-changed", message, path=path, expected=f"{size} bytes", found=f"{now} bytes")
