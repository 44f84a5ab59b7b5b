"""Checks each entry of a manifest against the disk. Nothing outside the roots is opened."""

import os
from collections.abc import Callable, Sequence

import msgspec

from runaudit.manifests.comparing import (
    Absent,
    Observation,
    Outside,
    compare,
    of_conflict,
    of_malformed,
    of_self,
)
from runaudit.manifests.conflicts import contradict, repeated
from runaudit.manifests.entry import Manifest, Result
from runaudit.manifests.locating import Found, Location, Unsafe, Unseen, locate
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places, Sight
from runaudit.read.tree import Tree
from runaudit.usecases.manifest_hashing import Contents

Read = Callable[[Sequence[str]], Contents]


class Checked(msgspec.Struct, frozen=True):
    """One result for each entry, the location of each (None where none was looked for), and what was read."""

    results: tuple[Result, ...]
    locations: tuple[Location | None, ...]
    contents: Contents


def check(manifest: Manifest, tree: Tree, places: Places, own: frozenset[str], read: Read) -> Checked:
    """Every entry of the manifest, in its order, malformed ones last. `own` names the documents that list."""
    decided = _decided(manifest, own)
    asked = [index for index in range(len(manifest.entries)) if index not in decided]
    entries = [manifest.entries[index] for index in asked]
    found = locate(entries, [manifest.names[index] for index in asked], dict.fromkeys(tree.files))
    root = places.roots[0]
    observed = [
        f"{root}/{location.name}" if isinstance(location, Found) else _observe(location, places) for location in found
    ]
    contents = read([one for one in observed if isinstance(one, str)])
    seen = iter(contents.seen)
    locations: list[Location | None] = [None] * len(manifest.entries)
    for index, entry, location, one in zip(asked, entries, found, observed, strict=True):
        decided[index] = compare(entry, location, next(seen) if isinstance(one, str) else one)
        locations[index] = location
    return Checked(
        results=(*(decided[index] for index in range(len(manifest.entries))), *map(of_malformed, manifest.malformed)),
        locations=tuple(locations),
        contents=contents,
    )


def _decided(manifest: Manifest, own: frozenset[str]) -> dict[int, Result]:
    """The entries that need no look at the disk: those of the manifest itself, and those that contradict others."""
    doubled = repeated(manifest)
    found: dict[int, Result] = {}
    if not doubled and own.isdisjoint(manifest.names):
        return found
    for index, name in enumerate(manifest.names):
        entry = manifest.entries[index]
        if name in own and os.path.basename(name) == entry.source:
            found[index] = of_self(entry)
        elif name in doubled and contradict(doubled[name]):
            found[index] = of_conflict(entry, doubled[name])
    return found


def _observe(location: Unsafe | Unseen, places: Places) -> str | Observation:
    """The resolved path to read, or what lies there instead of a plain file."""
    if isinstance(location, Unsafe):
        return Outside(location.reason)
    return _seen(places.look(location.name))


def _seen(sight: Sight) -> str | Observation:
    match sight.kind:
        case "file":
            return sight.real
        case "absent":
            return Absent()
        case "dangling-link":
            return Absent(f"a link to {sight.target}, which does not exist")
        case "outside-root":
            to = f" to {sight.target}" if sight.target else ""
            return Outside(f"a link{to} leads out of the folder")
        case _:
            return sight.trouble("file") or Trouble(id="document-unreadable", message="it cannot be read")
