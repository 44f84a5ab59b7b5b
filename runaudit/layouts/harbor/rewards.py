"""The grammar of Harbor's reward files, which of two files counts, and the one number that a set of rewards means.

reward.txt holds one decimal; reward.json holds an object of numbers. A writer read `true` as 1 and `false` as 0, and an
empty object as no reward that has a name. Python's own number syntax (`1_0`, other digits) is not part of the grammar.
"""

import re
from typing import Any

import msgspec

from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import Number, number, same
from runaudit.model.trouble import Trouble
from runaudit.read.documents import Document, decode_json

Rewards = dict[str, Number]
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z", re.ASCII)
_SHOWN = 40


class RewardFiles(msgspec.Struct, frozen=True):
    """What the two reward files of one verification say: rewards, a trouble, or None where there is no file."""

    from_text: Rewards | Trouble | None = None
    from_json: Rewards | Trouble | None = None

    @property
    def present(self) -> bool:
        """Whether there is any."""
        return self.from_text is not None or self.from_json is not None

    def chosen(self, writer: Writer) -> tuple[str, Rewards | Trouble] | None:
        """The file that the writer read, by name, and what it says; None when there is none or nobody can tell."""
        if self.from_text is None:
            return None if self.from_json is None else ("reward.json", self.from_json)
        if self.from_json is None:
            return "reward.txt", self.from_text
        if writer.json_wins is None:
            agreed = not isinstance(self.from_text, Trouble) and equal(self.from_text, self.from_json)
            return ("reward.json", self.from_json) if agreed else None
        return ("reward.json", self.from_json) if writer.json_wins else ("reward.txt", self.from_text)


def parse_text(data: bytes) -> Rewards | Trouble:
    """The reward in the bytes of a reward.txt."""
    text = data.decode("utf-8-sig", "replace").strip()
    if not text:
        return _no_number("the file is empty")
    value = number(float(text)) if _DECIMAL.match(text) else None
    return {"reward": value} if value is not None else _no_number(f"{_shown(text)} is no finite decimal number")


def parse_json(data: bytes) -> Rewards | Trouble:
    """The rewards in the bytes of a reward.json."""
    document = decode_json(data, strict_keys=True)
    if not isinstance(document, Document):
        return _no_number(document.message)
    if not isinstance(document.value, dict):
        return _no_number("it holds no object of numbers")
    rewards = as_rewards(document.value)
    return rewards if rewards is not None else _no_number("a value in it is no finite number")


def as_rewards(value: Any) -> Rewards | None:
    """The rewards that a result states; None unless it is an object of finite numbers. Booleans count as 1 and 0."""
    if not isinstance(value, dict):
        return None
    found = {str(key): int(one) if isinstance(one, bool) else number(one) for key, one in value.items()}
    return {key: one for key, one in found.items() if one is not None} if None not in found.values() else None


def scalar(rewards: Rewards | None) -> Number | None:
    """The one number that the rewards mean: the key `reward`, else the only one; several have none."""
    if not rewards:
        return None
    return rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)


def equal(one: Rewards | Trouble | None, other: Rewards | Trouble | None) -> bool:
    """Whether two sets of rewards have the same names and values. A trouble equals nothing."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())


def shown(rewards: Any) -> str:
    """Rewards as text for a finding: the bare number where there is one only."""
    if isinstance(rewards, dict):
        values = {str(key): value for key, value in rewards.items()}
        if list(values) == ["reward"]:
            return _shown(values["reward"])
        return _shown("{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}")
    return "no reward" if rewards is None else _shown(rewards)


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _no_number(why: str) -> Trouble:
    return Trouble(id="invalid-reward-file", message=why)
