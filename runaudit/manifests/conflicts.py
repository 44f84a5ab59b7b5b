"""Finds paths that a manifest lists more than once."""

from collections.abc import Sequence

from runaudit.manifests.entry import Entry
from runaudit.manifests.names import collapsed


def repeated(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Path to its entries, for paths that are listed more than once."""
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        by_path.setdefault(collapsed(entry.path), []).append(entry)
    return {path: members for path, members in by_path.items() if len(members) > 1}


def contradict(entries: Sequence[Entry]) -> bool:
    """Whether entries of one path promise different content. A size that is not stated contradicts none."""
    digests = {entry.digest for entry in entries}
    sizes = {entry.size for entry in entries if entry.size is not None}
    return len(digests) > 1 or len(sizes) > 1
