"""Finds the log folders that rows name, by absolute path, one row at a time.

A told `--map` comes first; a path that exists is taken as written; a dead one is missing, never guessed. Where every
dead path shares a prefix and its rest exists below this folder, the one `--map` that would resolve them is known.
"""

import os
import posixpath
import re
from collections.abc import Mapping

import msgspec

from runaudit.model.relative import relative_to, shown
from runaudit.read.places import Places, Sight

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Found(msgspec.Struct, frozen=True):
    """Where a named folder lies: its path in the document (None when it is missing) and what was seen there.

    `outer` is the place outside the folder that the row names while a copy inside is meant.
    """

    path: str | None
    sight: Sight | None
    outside: bool = False
    outer: str | None = None


class LogPaths:
    """Resolves named folders against one results folder. Remembers what it learned about parents."""

    def __init__(
        self,
        places: Places,
        folder: str,
        *,
        maps: tuple[tuple[str, str], ...] = (),
        relocate: bool = False,
        recorded: Mapping[str, str | None] | None = None,
    ) -> None:
        self._places = places
        self._folder = folder
        self._maps = tuple((old.rstrip("/") or "/", os.path.join(folder, new)) for old, new in maps)
        self._relocate = relocate
        self._recorded = recorded
        self._inner: dict[str, str | None] = {}
        self.dead: list[str] = []

    def find(self, told: str, key: str) -> Found:
        """The folder that a row names. `key` is the row's in the mapping that an earlier summary recorded."""
        if self._recorded is not None and key in self._recorded:
            return self._as_recorded(self._recorded[key])
        path = self._mapped(told)
        if _WINDOWS.match(path) or not self._places.reachable(path):
            return self._missing(told)
        sight = self._places.look(path)
        if sight.kind in ("absent", "dangling-link", "link-loop"):
            return self._missing(told, sight)
        return self._present(path, sight)

    def _as_recorded(self, path: str | None) -> Found:
        if path is None:
            return Found(None, None)
        if not self._places.reachable(path):
            return Found(path, None, outside=True)
        return Found(path, self._places.look(posixpath.join(self._folder, path)))

    def _mapped(self, path: str) -> str:
        for old, new in self._maps:
            if path == old or path.startswith(old if old.endswith("/") else old + "/"):
                return new + path[len(old) :]
        return path

    def _present(self, path: str, sight: Sight) -> Found:
        if not sight.real:
            # Present and not to be opened: it is named as it stands below the folder.
            lexical = os.path.normpath(os.path.join(self._folder, path))
            return Found(relative_to(lexical, self._folder), sight)
        if self._places.inside(sight.real):
            return Found(relative_to(sight.real, self._folder), sight)
        inner = self._copy_inside(sight.real)
        if inner is not None:
            seen = self._places.look(inner)
            return Found(relative_to(inner, self._folder), seen, outer=shown(sight.real))
        return Found(relative_to(sight.real, self._folder), sight, outside=True)

    def _missing(self, told: str, sight: Sight | None = None) -> Found:
        inner = self._copy_inside(told) if self._relocate else None
        if inner is not None:
            return Found(relative_to(inner, self._folder), self._places.look(inner))
        self.dead.append(told)
        return Found(None, sight)

    def _copy_inside(self, path: str) -> str | None:
        """The longest end of `path` that exists as a folder below this one, as an absolute path."""
        parent, name = posixpath.split(path.rstrip("/"))
        if parent not in self._inner:
            self._inner[parent] = self._longest_end(parent)
        base = self._inner[parent]
        for candidate in ([posixpath.join(base, name)] if base else []) + [posixpath.join(self._folder, name)]:
            if self._places.look(candidate).kind == "folder":
                return candidate
        return None

    def _longest_end(self, parent: str) -> str | None:
        parts = [part for part in parent.split("/") if part not in ("", ".", "..")]
        for start in range(len(parts)):
            candidate = posixpath.join(self._folder, *parts[start:])
            if self._places.look(candidate).kind == "folder":
                return candidate
        return None

    def holds_the_run(self, sight: Sight | None) -> bool:
        """Whether a folder is the results folder or one above it: no verification has such a log folder."""
        return sight is not None and bool(sight.real) and (self._folder + "/").startswith(sight.real.rstrip("/") + "/")

    def suggestion(self) -> str | None:
        """The one `--map OLD=NEW` that would resolve every dead path, NEW relative to the folder; None without one."""
        pairs = set()
        for told in self.dead:
            inner = self._copy_inside(told) if told.startswith("/") else None
            if inner is None:
                return None
            end = os.path.relpath(inner, self._folder)
            if not told.rstrip("/").endswith("/" + end):
                return None
            pairs.add(told.rstrip("/")[: -len(end) - 1] or "/")
        return f"--map {shown(pairs.pop())}=." if len(pairs) == 1 else None
