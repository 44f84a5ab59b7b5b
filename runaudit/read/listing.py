"""Names and kinds of what lies in folders: one listing for each, no file looked at, no link followed."""

import contextlib
import os
from collections.abc import Iterator
from typing import Literal

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable
from runaudit.read.workers import LostWorkerError, Workers

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
    """Listings that one step of a command made and another needs. `ahead` makes some while other things are done."""

    def __init__(self, ahead: Workers[list[tuple[str, Listing]]] | None = None) -> None:
        self._kept: dict[str, Listing] = {}
        self._ahead = ahead

    def keep(self, real: str, listing: Listing) -> None:
        """Keeps the listing of a resolved folder until it is taken."""
        self._kept[real] = listing

    def below(self, real: str) -> Iterator[tuple[str, Listing | Trouble]]:
        """Every folder from a resolved one down, by its path relative to that one ("" for itself), in name order.

        Listings that were kept are taken, and gone afterwards.
        """
        if self._ahead is not None:
            with contextlib.suppress(LostWorkerError):
                for listings in self._ahead.results():
                    self._kept.update(listings)
            self._ahead = None
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


@contextlib.contextmanager
def listings_ahead(real: str) -> Iterator[Listings]:
    """Listings of everything below a resolved folder, made by another process until they are needed."""
    with contextlib.ExitStack() as kept:
        try:
            ahead = kept.enter_context(Workers(1, _listed_below, [real], hold=True))
        except LostWorkerError:
            # no process for us: they are made when they are needed
            ahead = None
        yield Listings(ahead)


def _listed_below(real: str) -> list[tuple[str, Listing]]:
    base = real.rstrip("/")
    return [
        (f"{base}/{path}" if path else real, listing)
        for path, listing in Listings().below(real)
        if not isinstance(listing, Trouble)
    ]
