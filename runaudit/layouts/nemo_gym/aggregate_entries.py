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
    places = [_place(entries, names_of(slot)) for slot in slots]
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


def _place(entries: Sequence[Entry], names: Names) -> int | None:
    server, agent = names
    if server is not None:
        by_server = [index for index, entry in enumerate(entries) if entry.server == server]
        if by_server:
            return by_server[0] if len(by_server) == 1 else None
    by_agent = [
        index
        for index, entry in enumerate(entries)
        if agent is not None and entry.agent == agent and (server is None or entry.server is None)
    ]
    return by_agent[0] if len(by_agent) == 1 else None
