"""Turns results and names into findings."""

from collections.abc import Iterable, Sequence

from runaudit.manifests.conflicts import contradict, repeated
from runaudit.manifests.entry import Entry, Manifest, Outcome, Result
from runaudit.manifests.locating import Found, Location
from runaudit.manifests.names import all_portable, breaks_elsewhere, collapsed, collisions, shown
from runaudit.manifests.tree_digest import tree_digest
from runaudit.model.finding import Finding, Level

_IDS: dict[Outcome, str] = {
    "different": "entry-different",
    "missing": "entry-missing",
    "unreadable": "entry-unreadable",
    "unsafe-path": "entry-unsafe-path",
    "malformed": "entry-malformed",
    "conflicting": "entry-conflicting",
    "lfs-pointer": "entry-lfs-pointer",
    "self": "entry-self",
}


def of_results(results: Iterable[Result]) -> Iterable[Finding]:
    """One finding for each result that is not `verified`, and a note for each pointer that is."""
    for result in results:
        if result.pointer:
            message = "the listed content is a Git LFS pointer itself"
            yield Finding(id="entry-lfs-pointer", message=message, path=shown(result.path or ""), level="note")
        if result.outcome != "verified":
            yield Finding(
                id=_IDS[result.outcome],
                message=result.message,
                path=result.source if result.path is None else shown(result.path),
                line=result.line,
                expected=result.expected,
                found=result.found,
            )


def of_locations(entries: Sequence[Entry], locations: Sequence[Location | None]) -> Iterable[Finding]:
    """A note for each name that was found under another spelling."""
    for entry, location in zip(entries, locations, strict=True):
        if isinstance(location, Found) and location.how:
            message = f"taken as {shown(location.name)}: {location.how}"
            yield Finding(id="name-normalised", message=message, path=shown(entry.path), line=entry.line)


def of_names(names: Sequence[str]) -> Iterable[Finding]:
    """Notes about listed names that collide or cannot exist on other systems."""
    for group in collisions(names):
        others = ", ".join(shown(name) for name in group[1:])
        yield Finding(id="name-collision", message=f"one name with {others} on other systems", path=shown(group[0]))
    if all_portable(names):
        return
    for name in dict.fromkeys(names):
        if reason := breaks_elsewhere(name):
            yield Finding(id="portability", message=reason, path=shown(name))


def of_document(manifest: Manifest, source: str) -> Iterable[Finding]:
    """Findings about the manifest as a whole: its own, repeated paths, totals that do not add up."""
    yield from manifest.findings
    for path, members in repeated(manifest).items():
        if not contradict(members):
            message = f"listed {len(members)} times, with the same content"
            yield Finding(id="entry-repeated", message=message, path=shown(path), line=members[1].line)
    yield from _of_totals(manifest, source)


def _of_totals(manifest: Manifest, source: str) -> Iterable[Finding]:
    stated = manifest.stated
    if stated.total_files is not None:
        listed = len(manifest.entries) + len(manifest.malformed)
        distinct = len({*manifest.names, *(collapsed(one.path) for one in manifest.malformed if one.path is not None)})
        if {listed, distinct} != {stated.total_files}:
            found = f"{listed} entries, {distinct} different paths"
            yield _total(source, "total_files", str(stated.total_files), found)
    if stated.total_bytes is not None:
        size = sum(entry.size or 0 for entry in manifest.entries)
        if stated.total_bytes != size:
            yield _total(source, "total_bytes", str(stated.total_bytes), f"{size} bytes by its entries")
    if stated.tree_digest is not None:
        own = tree_digest((entry.path, entry.digest) for entry in manifest.entries)
        if own != stated.tree_digest:
            yield _total(source, "tree_digest", stated.tree_digest, own, "error")


def _total(source: str, name: str, expected: str, found: str, level: Level = "note") -> Finding:
    told = shown(expected)
    message = f"'{name}' says {told}; found: {found}"
    return Finding(id="manifest-total-differs", message=message, path=source, expected=told, found=found, level=level)


def of_payload(stated: tuple[int, int] | None, found: tuple[int, int], source: str) -> Iterable[Finding]:
    """A finding when bytes and number of a bag's payload are not what it states."""
    if stated is not None and stated != found:
        expected, there = (f"{size} bytes in {count} files" for size, count in (stated, found))
        message = f"Payload-Oxum says {expected}; found: {there}"
        yield Finding(id="bag-payload-differs", message=message, path=source, expected=expected, found=there)
