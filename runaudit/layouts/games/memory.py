"""Reads the environment memory, whose shape the source does not fix: a list of entries, or an object that holds it."""

from typing import Any

from runaudit.layouts.games.export import Memory
from runaudit.layouts.games.names import shown
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import decode_json, read_bytes
from runaudit.read.hashing import of_bytes
from runaudit.read.places import Places

_HOLDERS = ("entries", "memory", "memories", "games", "items", "bank")
_SKILL_KEYS = ("skill", "skill_name", "cognitive_skill")


def read_memory(places: Places, path: str) -> tuple[Memory | None, tuple[Finding, ...]]:
    """The memory at `path`, None when there is none; and what is wrong with it."""
    sight = places.look(path)
    if sight.kind == "absent":
        return None, ()
    data = read_bytes(sight)
    if isinstance(data, Trouble):
        return Memory(path=path, entries=None), (data.at(path),)
    digest = of_bytes(data, "sha256").hex
    document = decode_json(data)
    if isinstance(document, Trouble):
        return Memory(path=path, entries=None, sha256=digest), (document.at(path),)
    entries = entries_in(document.value)
    if entries is None:
        message = "neither a list of entries nor an object that holds one: they cannot be counted"
        finding = Finding(id="games-memory-shape", message=message, path=path)
        return Memory(path=path, entries=None, sha256=digest), (finding,)
    return Memory(path=path, entries=len(entries), skills=_skills(entries), sha256=digest), ()


def entries_in(value: Any) -> list[Any] | None:
    """The entries of a memory; None when the shape is not known."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    for holder in _HOLDERS:
        if isinstance(value.get(holder), list):
            return list(value[holder])
        if isinstance(value.get(holder), dict):
            return list(value[holder].values())
    if all(isinstance(inner, dict) for inner in value.values()):
        return list(value.values())
    return None


def _skills(entries: list[Any]) -> frozenset[str]:
    named = (entry.get(key) for entry in entries if isinstance(entry, dict) for key in _SKILL_KEYS)
    return frozenset(shown(name).lower() for name in named if isinstance(name, str))
