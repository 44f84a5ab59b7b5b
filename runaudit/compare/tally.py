"""One side of one task, counted over its repeats."""

from collections.abc import Sequence

import msgspec

from runaudit.compare.document import Attempt
from runaudit.model.task import Outcome

TOLERANCE = 1e-9
"""Rewards this close, absolutely or relative to the larger one, are equal."""


class Tally(msgspec.Struct, frozen=True, gc=False):
    """`passes` is None unless it is known of every scored attempt. `rewards` are those of the scored, in order."""

    selected: int
    rewards: tuple[float, ...]
    passes: int | None
    outcomes: tuple[Outcome, ...]

    @property
    def scored(self) -> int:
        """How many attempts have a measured reward."""
        return len(self.rewards)

    @property
    def mean(self) -> float | None:
        """The mean reward over the scored attempts; None without any."""
        if len(self.rewards) == 1:
            return self.rewards[0]
        return sum(self.rewards) / len(self.rewards) if self.rewards else None

    def share_of(self, outcome: Outcome) -> float:
        """The share of the selected attempts with this outcome."""
        return self.outcomes.count(outcome) / self.selected if self.selected else 0.0


def tally(attempts: Sequence[Attempt]) -> Tally:
    """The attempts of one side of a task, counted."""
    scored = [a for a in attempts if a.outcome == "scored" and a.reward is not None]
    passes: int | None = 0
    for attempt in scored:
        passes = None if passes is None or attempt.passed is None else passes + attempt.passed
    return Tally(
        selected=len(attempts),
        rewards=tuple([a.reward for a in scored if a.reward is not None]),
        passes=passes,
        outcomes=tuple([a.outcome for a in attempts]),
    )


def equal_rewards(left: float, right: float) -> bool:
    """Whether two rewards are the same within the tolerance. Two NaN are; a finite and a non-finite never are."""
    if left == right:
        return True
    if left != left or right != right:  # noqa: PLR0124  # NaN is the value that differs from itself
        return left != left and right != right  # noqa: PLR0124
    difference = abs(left - right)
    return difference <= max(TOLERANCE, TOLERANCE * max(abs(left), abs(right))) and difference != float("inf")
