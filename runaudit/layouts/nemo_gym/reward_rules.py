"""Holds a row's reward against the reward file in its log folder, and the file's age against its verification."""

import math

import msgspec

from runaudit.layouts.nemo_gym.logs import LogFolder
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot
from runaudit.model.finding import Finding

_NANO = 1_000_000_000
# File systems and archives keep times to within two seconds.
_GRAIN_SECONDS = 2.0
_NO_REWARD_KINDS = frozenset({"harbor:missing_reward", "harbor:invalid_reward", "harbor:verifier_timeout"})


def reward_findings(slot: Slot, row: Row, folder: LogFolder, *, scored: bool, sound_times: bool) -> list[Finding]:
    """What is wrong between one row and its log folder."""
    found: list[Finding] = []
    if scored and folder.read and not (slot.owed and slot.owed.several_turns):
        found += _against_row(slot, row, folder)
    found += _against_one_another(slot, row, folder)
    if sound_times:
        found += _ages(slot, row, folder)
    return found


def _against_row(slot: Slot, row: Row, folder: LogFolder) -> list[Finding]:
    reading = folder.reward
    if reading is None:
        if row.failure_kind in _NO_REWARD_KINDS or row.reward == 0:
            return []
        return [_about(slot, row, "reward-without-file", folder.path, f"reward {row.reward}, and no reward file")]
    if reading.standing == "number":
        if row.failure_kind in _NO_REWARD_KINDS and row.reward == 0 and reading.value != 0:
            return [_differs(slot, row, folder, f"{reading.value!r}")]
        return [] if _same(reading.value, row.reward) else [_differs(slot, row, folder, f"{reading.value!r}")]
    if reading.standing == "unusable" and row.failure_kind not in _NO_REWARD_KINDS and row.reward != 0:
        return [_differs(slot, row, folder, f"no usable number ({reading.reason})")]
    if reading.standing == "unclear" and reading.value is not None and not _same(reading.value, row.reward):
        return [] if row.failure_kind in _NO_REWARD_KINDS else [_differs(slot, row, folder, f"{reading.value!r}")]
    return []


def _against_one_another(slot: Slot, row: Row, folder: LogFolder) -> list[Finding]:
    numbers = {reading.name: reading.value for reading in folder.readings if reading.standing == "number"}
    if len(numbers) == 2 and not _same(*numbers.values()):  # noqa: PLR2004  # reward.json and reward.txt
        told = " and ".join(f"{name} says {value!r}" for name, value in sorted(numbers.items()))
        finding = _about(slot, row, "reward-conflict", folder.path, f"{told}; this writer goes by reward.json")
        return [finding]
    return []


def _ages(slot: Slot, row: Row, folder: LogFolder) -> list[Finding]:
    """Reward files older than the start of their own verification: its end less how long the row says it took."""
    if folder.stdout_mtime_ns is None or row.verifier_seconds is None:
        return []
    start = folder.stdout_mtime_ns - (row.verifier_seconds + _GRAIN_SECONDS) * _NANO
    return [
        _about(
            slot,
            row,
            "stale-reward",
            f"{folder.path}/{name}",
            f"{(start - mtime) / _NANO + _GRAIN_SECONDS:.0f} s older than the start of its verification",
        )
        for name, mtime in sorted(folder.reward_mtimes_ns.items())
        if mtime < start
    ]


def _same(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _differs(slot: Slot, row: Row, folder: LogFolder, file_says: str) -> Finding:
    found = _about(
        slot, row, "reward-mismatch", folder.reward_file, f"the row says {row.reward!r}, the file says {file_says}"
    )
    return msgspec.structs.replace(found, expected=file_says, found=repr(row.reward))


def _about(slot: Slot, row: Row, finding: str, path: str | None, message: str) -> Finding:
    return Finding(
        id=finding,
        message=message,
        path=path,
        task_index=slot.task_index,
        repeat=slot.repeat,
        task_id=row.task_id or (slot.owed.task_id if slot.owed else None),
    )
