"""A finding: what is wrong or worth knowing, and where.

Rules emit one `Finding` for each place. `judge.grouping` joins those of one id and level into a `Group`, which is
what documents and reports hold. Ids are stable words, never reused; their meaning is in `judge.registry`.
"""

from typing import Literal

import msgspec

Level = Literal["error", "warning", "note"]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")


class Place(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Where a finding was made, and what was expected and found there. Fields that do not apply are left out."""

    path: str | None = None
    line: int | None = None
    offset: int | None = None
    task_index: int | None = None
    repeat: int | None = None
    task_id: str | None = None
    message: str | None = None
    expected: str | None = None
    found: str | None = None


class Finding(msgspec.Struct, frozen=True, gc=False):
    """One finding at one place.

    `level` None takes the level that the registry states for the id. `configured` is set where a configuration
    changed the level, and says from what.
    """

    id: str
    message: str
    path: str | None = None
    line: int | None = None
    offset: int | None = None
    task_index: int | None = None
    repeat: int | None = None
    task_id: str | None = None
    expected: str | None = None
    found: str | None = None
    level: Level | None = None
    configured: str | None = None

    def place(self) -> Place:
        """The finding without its id and level."""
        return Place(
            path=self.path,
            line=self.line,
            offset=self.offset,
            task_index=self.task_index,
            repeat=self.repeat,
            task_id=self.task_id,
            message=self.message,
            expected=self.expected,
            found=self.found,
        )


class Group(msgspec.Struct, frozen=True, omit_defaults=True):
    """All findings of one id and level: how many, and their places, the first ones or all.

    `configured` says what the level was, where a configuration changed it.
    """

    id: str
    level: Level
    title: str
    count: int
    places: tuple[Place, ...]
    configured: str | None = None


class Definition(msgspec.Struct, frozen=True):
    """What a finding id means.

    `level` None marks an id that stops the command (exit 3) and never stands in a document.
    `verify_level` is the level where `verify` is stricter than `summarize`.
    """

    id: str
    level: Level | None
    title: str
    meaning: str
    remedy: str
    verify_level: Level | None = None
