"""What comes of a statement, and what could not be looked at."""

from collections.abc import Sequence
from typing import Literal

import msgspec

Word = Literal["holds", "fails", "cannot tell"]
_SHOWN = 5


class Unknown(msgspec.Struct, frozen=True):
    """Why a value is not known. `outside` is a path that leaves the audited folder; it was not opened."""

    why: str
    outside: str | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to one statement.

    `compared` says what was held against what; `expected` and `found` are the two sides as text. `why` says why it
    cannot be told, or what is wrong; `notes` are worth knowing. `path` is the file that is most at fault. `outside`
    are paths that leave the audited folder.
    """

    word: Word
    compared: str
    expected: str = ""
    found: str = ""
    why: str = ""
    notes: tuple[str, ...] = ()
    path: str | None = None
    outside: tuple[str, ...] = ()


def cannot_tell(compared: str, *unknown: Unknown, expected: str = "", found: str = "") -> Answer:
    """The answer where something is not known."""
    return Answer(
        word="cannot tell",
        compared=compared,
        expected=expected,
        found=found,
        why="; ".join(dict.fromkeys(one.why for one in unknown)),
        outside=tuple(one.outside for one in unknown if one.outside is not None),
    )


def some(texts: Sequence[str]) -> str:
    """The first texts, and how many more there are."""
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more
