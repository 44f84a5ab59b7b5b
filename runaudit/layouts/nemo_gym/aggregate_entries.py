"""Which slots belong to which entry: by environment server, else by agent, else to the only entry there is."""

from collections.abc import Sequence

import msgspec

from runaudit.layouts.nemo_gym.aggregate_shape import Entry
from runaudit.layouts.nemo_gym.slot import Slot

Names = tuple[str | None, str | None]


class Distribution(msgspec.Struct, frozen=True):
    """`own` holds each entry's slots, in the order of the entries.

    `strangers` have rows and a name that no entry has; `nameless` have rows that no entry can be found for; `loose`
    slots have neither rows nor an entry.
    """

    own: list[list[Slot]]
    strangers: list[Slot]
    nameless: list[Slot]
    loose: list[Slot]


def names_of(slot: Slot) -> Names:
    """Environment server and agent of a slot; what its rows do not say, its materialized input does."""
    server, agent = slot.server, slot.agent
    for row in (*slot.rows, *reversed(slot.failures)):
        server, agent = server or row.server, agent or row.agent
    if slot.owed is not None:
        server, agent = server or slot.owed.server, agent or slot.owed.agent
    return server, agent


def distribute(entries: Sequence[Entry], slots: Sequence[Slot]) -> Distribution:
    """Gives each slot to its entry. Entries are never pooled."""
    index = _Index(entries)
    places = [index.place(*names_of(slot)) for slot in slots]
    if len(entries) == 1 and not any(place == 0 for slot, place in zip(slots, places, strict=True) if slot.rows):
        return Distribution([list(slots)], [], [], [])
    found = Distribution([[] for _ in entries], [], [], [])
    for slot, place in zip(slots, places, strict=True):
        if place is not None:
            found.own[place].append(slot)
        elif not slot.rows:
            found.loose.append(slot)
        elif names_of(slot) != (None, None):
            found.strangers.append(slot)
        elif len(entries) == 1:
            found.own[0].append(slot)
        else:
            found.nameless.append(slot)
    return found


class _Index:
    """Finds the one entry of a name; a name that several entries have finds none."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._servers = _unique([(entry.server, index) for index, entry in enumerate(entries)])
        self._agents = _unique([(entry.agent, index) for index, entry in enumerate(entries)])
        self._stamped = [entry.server is not None for entry in entries]

    def place(self, server: str | None, agent: str | None) -> int | None:
        """The position of the entry. Two different servers are never joined by their agent."""
        if server in self._servers:
            return self._servers[server]
        found = self._agents.get(agent)
        return None if found is None or (server is not None and self._stamped[found]) else found


def _unique(names: list[tuple[str | None, int]]) -> dict[str | None, int | None]:
    found: dict[str | None, int | None] = {}
    for name, index in names:
        if name is not None:
            found[name] = None if name in found else index
    return found
