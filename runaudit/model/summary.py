"""The run summary as a value; `assemble.encode` turns it into the bytes of the document."""

from typing import Any

import msgspec

from runaudit.model.account import Account
from runaudit.model.finding import Group

KIND = "run_summary"
VERSION = 1


class Mean(msgspec.Struct, frozen=True):
    """A mean with its denominator: `n` values, which are `coverage` of everything selected (null when nothing is)."""

    value: float | None
    n: int
    coverage: float | None


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many entries in each outcome; they add up to `selected`. Several denominators, all named."""

    selected: int
    scored: int
    masked: int
    unscored: int
    failed: int
    missing: int
    conflicted: int
    passed: int | None
    degraded: int
    unvalidated: int
    skipped: int
    rows_unplaced: int
    mean_reward: Mean
    mean_reward_over_tasks: Mean


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document, before it is bytes."""

    account: Account
    counts: Counts
    options: dict[str, Any]
    findings: tuple[Group, ...]
