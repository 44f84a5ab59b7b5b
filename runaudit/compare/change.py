"""What happened to one task between two runs: its class.

Several things can be true of a task with several repeats (it got worse, and one repeat was lost). The class is the
gravest of them, the others stand in `also`; gates look at all of them. Repeats are never paired with one another.
"""

from typing import Literal, get_args

import msgspec

from runaudit.compare.comparability import Inputs
from runaudit.compare.pairing import TaskKey
from runaudit.compare.tally import TOLERANCE, Tally, equal_rewards
from runaudit.model.task import Outcome

Class = Literal[
    "removed",
    "regressed",
    "became-failed",
    "became-missing",
    "became-masked",
    "became-unscored",
    "became-conflicted",
    "not-comparable",
    "added",
    "recovered-failed",
    "recovered-missing",
    "recovered-masked",
    "recovered-unscored",
    "recovered-conflicted",
    "improved",
    "unstable",
    "same",
]
CLASSES: tuple[Class, ...] = get_args(Class)
"""All classes, the gravest first."""

LOST: tuple[Class, ...] = (
    "became-failed",
    "became-missing",
    "became-masked",
    "became-unscored",
    "became-conflicted",
)
_NOT_SCORED: tuple[Outcome, ...] = ("failed", "missing", "masked", "unscored", "conflicted")
_BECAME: dict[Outcome, Class] = dict(zip(_NOT_SCORED, LOST, strict=True))
_RECOVERED: dict[Outcome, Class] = {
    "failed": "recovered-failed",
    "missing": "recovered-missing",
    "masked": "recovered-masked",
    "unscored": "recovered-unscored",
    "conflicted": "recovered-conflicted",
}


class Change(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One task and agent of the comparison.

    `other_name` is the name that a task of the same input has on the other side, where this one was removed and that
    one added. `quarantined` tasks are listed and never decide anything.
    """

    key: TaskKey
    task_id: str | None
    task_index: int | None
    agent: str | None
    classes: tuple[Class, ...]
    inputs: Inputs | None
    baseline: Tally | None
    candidate: Tally | None
    other_name: str | None = None
    quarantined: bool = False

    @property
    def kind(self) -> Class:
        """The gravest thing that is true of the task."""
        return self.classes[0]

    @property
    def compared(self) -> bool:
        """Whether rewards of both sides enter the deltas."""
        return (
            self.inputs not in (None, "changed")
            and not self.quarantined
            and self.baseline is not None
            and self.candidate is not None
            and bool(self.baseline.rewards)
            and bool(self.candidate.rewards)
        )


def classify(before: Tally, after: Tally, max_drop: float | None = None) -> tuple[Class, ...]:
    """The classes of a task that both sides have with comparable inputs, the gravest first; never empty.

    `max_drop` is the mean drop from which a task with several repeats counts as regressed.
    """
    if before.selected == 1 and after.selected == 1 and before.outcomes == after.outcomes == ("scored",):
        return (_single(before.rewards[0], after.rewards[0]),)
    found: set[Class] = set()
    for outcome in _NOT_SCORED:
        then, now = before.share_of(outcome), after.share_of(outcome)
        if now > then + TOLERANCE:
            found.add(_BECAME[outcome])
        elif now < then - TOLERANCE and after.share_of("scored") > before.share_of("scored") + TOLERANCE:
            found.add(_RECOVERED[outcome])
    if before.rewards and after.rewards:
        found.add(_several(before, after, max_drop))
    if len(found) > 1:
        found.discard("same")
    return tuple(name for name in CLASSES if name in found) or ("same",)


def _single(before: float, after: float) -> Class:
    if equal_rewards(before, after):
        return "same"
    if before != before or after != after:  # noqa: PLR0124  # NaN against a number is neither a drop nor a rise
        return "unstable"
    return "regressed" if after < before else "improved"


def _several(before: Tally, after: Tally, max_drop: float | None) -> Class:
    if before.selected == 1 and after.selected == 1:
        return _single(before.rewards[0], after.rewards[0])
    mean_before, mean_after = before.mean or 0.0, after.mean or 0.0
    if max_drop is not None and mean_before - mean_after > max_drop + TOLERANCE:
        return "regressed"
    if max_drop is not None and mean_after - mean_before > max_drop + TOLERANCE:
        return "improved"
    if before.passes is not None and after.passes is not None:
        all_before, all_after = before.passes == before.scored, after.passes == after.scored
        if all_before and after.passes == 0:
            return "regressed"
        if all_after and before.passes == 0:
            return "improved"
        # Equal passes are the same task result; a mean that moved alone shows in the metrics and in the paired test.
        return "same" if before.passes * after.scored == after.passes * before.scored else "unstable"
    return "same" if equal_rewards(mean_before, mean_after) else "unstable"
