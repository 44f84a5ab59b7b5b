"""Takes the fields of a row out of its cells, each with its type checked. What does not fit is told, not guessed."""

from typing import Any

import msgspec

from runaudit.read.values import NonFinite

ABSENT_OR_NULL = (msgspec.UNSET, None)
_LARGEST_INDEX = (1 << 63) - 1
_KINDS = {bool: "boolean", int: "number", float: "number", str: "text", list: "list", type(None): "null"}


class Misfit(msgspec.Struct, frozen=True):
    """A field that cannot be what it says: the finding, the field's foreign name, what was expected and found."""

    id: str
    field: str
    expected: str
    found: str


def kind_of(value: Any) -> str:
    """The JSON type of a value, in words."""
    return "object" if isinstance(value, dict) else _KINDS.get(type(value), "number that is not finite")


def is_index(value: Any) -> bool:
    """Whether a value can be a task or repeat index: a whole number from 0 that a 64-bit reader can hold."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_INDEX


def shown(value: Any) -> str:
    """A value as the row stated it, short enough for a message."""
    if isinstance(value, NonFinite):
        return value.text
    if isinstance(value, str):
        return repr(value[:60])
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return kind_of(value)


def held(value: Any) -> Any:
    """The value; a whole number that no double holds as the explaining reader takes it (`read.values`)."""
    if value.__class__ is int:
        try:
            float(value)
        except OverflowError:
            return NonFinite(str(value)[:40])
    return value


class Taker:
    """Takes fields one by one and collects the misfits on the way."""

    __slots__ = ("misfits",)

    def __init__(self) -> None:
        self.misfits: list[Misfit] = []

    def _misfit(self, field: str, expected: str, value: Any) -> None:
        value = held(value)
        found = f"{kind_of(value)} {shown(value)}" if not isinstance(value, (dict, list)) else kind_of(value)
        self.misfits.append(Misfit("wrong-type", field, expected, found))

    def text(self, field: str, value: Any) -> str | None:
        """A text, or None when it is absent or null."""
        if isinstance(value, str):
            return value
        if value not in ABSENT_OR_NULL:
            self._misfit(field, "text", value)
        return None

    def index(self, field: str, value: Any) -> int | None:
        """A whole number from 0, or None."""
        if is_index(value):
            whole: int = value
            return whole
        if value not in ABSENT_OR_NULL:
            self._misfit(field, "a whole number from 0", value)
        return None

    def stage(self, field: str, value: Any) -> int | str | None:
        """A stage's number or name, or None."""
        return value if isinstance(value, str) else self.index(field, value)

    def count(self, value: Any) -> int | None:
        """A token count: anything else is left out without a word, nothing is judged by it."""
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def seconds(self, field: str, value: Any) -> float | None:
        """A finite number, or None."""
        value = held(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        if value not in ABSENT_OR_NULL:
            self._misfit(field, "a number of seconds", value)
        return None

    def flag(self, field: str, value: Any, *, absent: bool | None) -> bool | None:
        """A boolean; `absent` where it is not stated; None where it cannot be told."""
        if isinstance(value, bool):
            return value
        if value in ABSENT_OR_NULL:
            return absent
        self._misfit(field, "true or false", value)
        return None

    def reward(self, value: Any) -> tuple[float | None, Any]:
        """The reward as a finite number or None, and what the row said (`recorded_reward`)."""
        value = held(value)
        if isinstance(value, bool):
            self._misfit("reward", "a number", value)
            return None, shown(value)
        if isinstance(value, (int, float)):
            return float(value), value
        if value in ABSENT_OR_NULL:
            return None, value
        if isinstance(value, NonFinite):
            self.misfits.append(Misfit("non-finite-reward", "reward", "a finite number", value.text))
            return None, value.text
        self._misfit("reward", "a number", value)
        return None, value if isinstance(value, str) else kind_of(value)
