"""Looks through an export: which folders, games, hints and other files it holds, and their hashes. Runs nothing."""

import os

from runaudit.layouts.games import names
from runaudit.layouts.games.export import Export, Game, Live
from runaudit.layouts.games.memory import read_memory
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import digest_of
from runaudit.read.places import Places


class _Walk:
    """Collects while the folders are gone through."""

    def __init__(self, root: str) -> None:
        self.places = Places([root])
        self.games: list[Game] = []
        self.folders: list[names.FolderName] = []
        self.orphans: list[str] = []
        self.strangers: list[str] = []
        self.findings: list[Finding] = []

    def listed(self, path: str) -> list[str]:
        """The names in a folder, sorted; empty, with a finding, when it cannot be listed."""
        sight = self.places.look(path)
        trouble = sight.trouble("folder")
        if trouble is not None:
            self.findings.append(trouble.at(names.shown(path)))
        if sight.kind != "folder":
            return []
        try:
            return sorted(os.listdir(sight.real))
        except OSError:
            self.findings.append(
                Finding(id="no-permission", message="a folder that may not be listed", path=names.shown(path))
            )
            return []

    def digest(self, path: str) -> str | None:
        """The SHA-256 of a file; None, with a finding, when it cannot be read."""
        digest = digest_of(self.places.look(path), "sha256")
        if isinstance(digest, Trouble):
            found = digest.at(names.shown(path))
            self.findings.append(found)
            return None
        return digest.hex

    def is_folder(self, path: str) -> bool:
        return self.places.look(path).kind == "folder"


def look_through(root: str, *, live: str | None = None) -> Export:
    """The export below `root`. `live` is the folder of live games, by default `spare_games` when the export has it."""
    walk = _Walk(root)
    _walk_root(walk)
    memory, troubles = read_memory(walk.places, names.MEMORY)
    return Export(
        root=root,
        games=tuple(walk.games),
        folders=tuple(walk.folders),
        orphan_hints=tuple(walk.orphans),
        strangers=tuple(walk.strangers),
        memory=memory,
        live=_live_folder(walk, live),
        findings=(*walk.findings, *troubles),
    )


def _walk_root(walk: _Walk) -> None:
    known = {names.MANIFEST, names.CARD, names.MEMORY, names.GENERATIONS, names.LIVE}
    walk.strangers += [
        names.shown(name) for name in walk.listed(".") if name not in known and not name.startswith(".git")
    ]
    base = names.GENERATIONS
    for name in walk.listed(base):
        path = f"{base}/{name}"
        folder = names.full_folder(name)
        if folder is not None and walk.is_folder(path):
            _walk_folder(walk, path, folder)
        elif name == names.PARTIAL and walk.is_folder(path):
            _walk_partial(walk, path)
        else:
            _stranger(walk, path)


def _walk_partial(walk: _Walk, base: str) -> None:
    for name in walk.listed(base):
        path = f"{base}/{name}"
        folder = names.partial_folder(name)
        if folder is not None and walk.is_folder(path):
            _walk_folder(walk, path, folder)
        else:
            _stranger(walk, path)


def _stranger(walk: _Walk, path: str) -> None:
    walk.strangers.append(names.shown(path))
    if walk.is_folder(path):
        message = "a folder whose name is neither a generation's (gen_GG_step_SSSSS) nor a partial step's (step_SSSSS)"
        walk.findings.append(Finding(id="games-name-wrong", message=message, path=names.shown(path)))


def _walk_folder(walk: _Walk, path: str, folder: names.FolderName) -> None:
    walk.folders.append(folder)
    inside = walk.listed(path)
    present = set(inside)
    for name in inside:
        where = f"{path}/{name}"
        parsed = names.game_name(name)
        if parsed is not None:
            walk.games.append(_game(walk, path, folder, name, parsed, has_hint=names.hint_of(name) in present))
        elif names.looks_like_hint(name):
            if name.removesuffix("_hint.txt") + ".py" not in present:
                walk.orphans.append(names.shown(where))
        else:
            walk.strangers.append(names.shown(where))
            if names.looks_like_game(name):
                message = "a game whose name is not game_SSSSS_III_skill.py: it is not counted"
                walk.findings.append(Finding(id="games-name-wrong", message=message, path=names.shown(where)))


def _game(
    walk: _Walk, path: str, folder: names.FolderName, name: str, parsed: names.GameName, *, has_hint: bool
) -> Game:
    hint = f"{path}/{names.hint_of(name)}" if has_hint else None
    return Game(
        path=names.shown(f"{path}/{name}"),
        folder=folder,
        name=names.GameName(parsed.step, parsed.index, names.shown(parsed.skill)),
        sha256=walk.digest(f"{path}/{name}"),
        hint=names.shown(hint) if hint else None,
        hint_sha256=walk.digest(hint) if hint else None,
    )


def _live_folder(walk: _Walk, told: str | None) -> Live | None:
    if told is None and not walk.is_folder(names.LIVE):
        return None
    path = told or names.LIVE
    live = walk if told is None else _Walk(told)
    base = names.LIVE if told is None else "."
    files = {}
    for name in live.listed(base):
        digest = live.digest(f"{base}/{name}") if names.looks_like_game(name) else None
        if digest is not None:
            files[names.shown(name)] = digest
    if live is not walk:
        walk.findings += live.findings
    return Live(path=names.shown(os.path.basename(path.rstrip("/"))), files=files)
