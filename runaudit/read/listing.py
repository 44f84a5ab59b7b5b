"""Names and kinds of what lies in folders: one listing for each, no file looked at, no link followed."""

import os
from collections.abc import Iterator
from typing import Literal

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable

ItemKind = Literal["file", "folder", "link", "other"]
Listing = dict[str, ItemKind]


def names_in(real: str) -> Listing | Trouble:
    """The entries of a resolved folder with their kinds, in name order."""
    try:
        with os.scandir(real) as entries:
            found = [(entry.name, _kind(entry)) for entry in entries]
    except OSError as error:
        return unreadable(error)
    return dict(sorted(found))


def _kind(entry: os.DirEntry[str]) -> ItemKind:
    if entry.is_file(follow_symlinks=False):
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "link" if entry.is_symlink() else "other"


class Listings:
    """Listings that one step of a command made and another needs."""

    def __init__(self) -> None:
        self._kept: dict[str, Listing] = {}

    def keep(self, real: str, listing: Listing) -> None:
        """Keeps the listing of a resolved folder until it is taken."""
        self._kept[real] = listing

    def below(self, real: str) -> Iterator[tuple[str, Listing | Trouble]]:
        """Every folder from a resolved one down, by its path relative to that one ("" for itself), in name order.

        Listings that were kept are taken, and gone afterwards.
        """
        base = real.rstrip("/")
        waiting = [""]
        while waiting:
            path = waiting.pop()
            place = f"{base}/{path}" if path else real
            kept = self._kept.pop(place, None)
            listing = names_in(place) if kept is None else kept
            yield path, listing
            if not isinstance(listing, Trouble):
                above = f"{path}/" if path else ""
                folders = [above + name for name, kind in listing.items() if kind == "folder"]
                waiting += reversed(folders)
