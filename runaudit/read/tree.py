"""Walks a folder without following a link and without looking at any file: names and kinds, nothing else.

Names are relative to the root, with slashes, in no particular order. What could not be listed is told, never
left out in silence.
"""

import os
from collections.abc import Callable

import msgspec

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable


class Tree(msgspec.Struct, frozen=True):
    """What lies below a root: plain files, links, everything else that is no folder, and folders not listed."""

    files: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    specials: tuple[str, ...] = ()
    refused: tuple[tuple[str, Trouble], ...] = ()


def walk(root: str, skip: Callable[[str], bool] | None = None) -> Tree:
    """Everything below `root`. `skip` leaves out a file, or a folder with all that is in it, by relative name."""
    files: list[str] = []
    links: list[str] = []
    specials: list[str] = []
    refused: list[tuple[str, Trouble]] = []
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(os.path.join(root, below)) as listing:
                for item in listing:
                    name = below + item.name
                    if skip is not None and skip(name):
                        continue
                    if item.is_file(follow_symlinks=False):
                        files.append(name)
                    elif item.is_symlink():
                        links.append(name)
                    elif item.is_dir(follow_symlinks=False):
                        waiting.append(name + "/")
                    else:
                        specials.append(name)
        except OSError as error:
            refused.append((below.rstrip("/") or ".", unreadable(error)))
    return Tree(files=tuple(files), links=tuple(links), specials=tuple(specials), refused=tuple(refused))
