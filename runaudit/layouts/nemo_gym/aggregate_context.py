"""What every rule about one entry of an aggregate needs, and how it states a finding."""

from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.aggregate_members import Ghost, Members
from runaudit.layouts.nemo_gym.aggregate_numbers import text
from runaudit.layouts.nemo_gym.aggregate_shape import Entry, Key
from runaudit.model.finding import Finding


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """One entry and the keys that it may hold.

    `path` is the aggregate's, for findings. Without `sidecars` nothing says which keys were owed or failed. While
    there are `unplaced` rows, a key without a row may be one of theirs.
    """

    entry: Entry
    members: Members
    path: str
    sidecars: bool
    unplaced: int

    def finding(
        self,
        name: str,
        message: str,
        *,
        key: tuple[int | None, int | None] = (None, None),
        expected: Any = None,
        found: Any = None,
    ) -> Finding:
        """A finding about the entry; `expected` and `found` are texts or decoded numbers."""
        return Finding(
            id=name,
            message=f"{self.entry.label}: {message}",
            path=self.path,
            task_index=key[0],
            repeat=key[1],
            expected=_shown(expected),
            found=_shown(found),
        )


class Outcome(msgspec.Struct, frozen=True):
    """What the rules made of an entry.

    `imputed` holds the keys that were counted without a row (None: files that do not list rows; then only `extra`,
    their number, is known). `n` is over how many numbers the entry's mean is; None where that is not known.
    """

    findings: tuple[Finding, ...]
    imputed: dict[Key, Ghost] | None = None
    extra: int = 0
    n: int | None = None
    not_compared: str | None = None


def _shown(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else text(value)
