"""Which scored entries passed: only where every reward lies in [0, 1], or where the caller says what passes."""

import msgspec

from runaudit.model.finding import Finding
from runaudit.model.task import TaskEntry

_FULL = 1.0


def with_passed(entries: list[TaskEntry], pass_at: float | None) -> tuple[list[TaskEntry], list[Finding]]:
    """The entries with `passed`, and a note when rewards leave it open."""
    rewards = [entry.reward for entry in entries if entry.reward is not None]
    if pass_at is None and any(not 0 <= reward <= 1 for reward in rewards):
        note = Finding(
            "reward-out-of-range", f"rewards lie between {min(rewards):.6g} and {max(rewards):.6g}", path="result.json"
        )
        return entries, [note]
    passes = _FULL if pass_at is None else pass_at
    return [
        entry if entry.reward is None else msgspec.structs.replace(entry, passed=entry.reward >= passes)
        for entry in entries
    ], []
