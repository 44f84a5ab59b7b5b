"""Finds paths that a manifest lists more than once."""

from collections.abc import Sequence

from runaudit.manifests.entry import Entry, Manifest


def repeated(manifest: Manifest) -> dict[str, list[Entry]]:
    """Path to its entries, for paths that are listed more than once."""
    if len(set(manifest.names)) == len(manifest.names):
        return {}
    by_path: dict[str, list[Entry]] = {}
    for name, entry in zip(manifest.names, manifest.entries, strict=True):
        by_path.setdefault(name, []).append(entry)
    return {path: members for path, members in by_path.items() if len(members) > 1}


def contradict(entries: Sequence[Entry]) -> bool:
    """Whether entries of one path promise different content. A size that is not stated contradicts none."""
    digests = {entry.digest for entry in entries}
    sizes = {entry.size for entry in entries if entry.size is not None}
    return len(digests) > 1 or len(sizes) > 1
