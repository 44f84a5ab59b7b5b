"""Which files of a run were added, are gone, changed or moved, by the digests that the summaries recorded."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from runaudit.compare.comparability import same_digest

What = Literal["added", "gone", "changed", "moved", "unknown"]


class FileChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file of the evidence. `moved_from` is where the same content lay; `unknown` cannot be told by digest."""

    path: str
    change: What
    moved_from: str | None = None


def file_changes(baseline: Mapping[str, Any], candidate: Mapping[str, Any]) -> tuple[FileChange, ...]:
    """The changes between two `evidence` objects, by path. Equal files are not listed."""
    gone = {path for path in baseline if path not in candidate}
    origins = {str(_digest(baseline[path])): path for path in sorted(gone, reverse=True) if _digest(baseline[path])}
    found = []
    for path, evidence in candidate.items():
        if path not in baseline:
            origin = origins.pop(str(_digest(evidence)), None)
            gone.discard(origin or "")
            found.append(FileChange(path, "moved" if origin else "added", origin))
            continue
        same = same_digest(_digest(baseline[path]), _digest(evidence))
        if _size(baseline[path]) != _size(evidence) or same is False:
            found.append(FileChange(path, "changed"))
        elif same is None:
            found.append(FileChange(path, "unknown"))
    found += [FileChange(path, "gone") for path in gone]
    return tuple(sorted(found, key=lambda change: change.path))


def _digest(evidence: Any) -> Any:
    return evidence.get("digest") if isinstance(evidence, Mapping) else None


def _size(evidence: Any) -> Any:
    return evidence.get("size") if isinstance(evidence, Mapping) else None
