"""What any trajectory must agree with itself on, whoever wrote it: step ids, order in time, totals.

A layout's own reader makes the `Trajectory`; what it could not find there is None and is not judged. Totals may cover
agents inside the agent: where the reader knows of any (`inner`), steps are only a lower bound.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from runaudit.model.finding import Finding

COUNTED = ("input", "output", "cached", "cost")
_ROUNDING = 1e-6


class Amounts(msgspec.Struct, frozen=True):
    """Tokens and cost of one step, or of the whole."""

    input: float | None = None
    output: float | None = None
    cached: float | None = None
    cost: float | None = None


class Step(msgspec.Struct, frozen=True):
    """One step: its stated id, its time, whether a model was called for it, and what that took."""

    id: int | None = None
    moment: datetime | None = None
    by_agent: bool = False
    amounts: Amounts = Amounts()


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """A trajectory as far as it can be judged. `belongs_to` is whose it says it is, where that is telling."""

    path: str
    steps: Sequence[Step]
    totals: Amounts = Amounts()
    total_steps: int | None = None
    inner: bool = False
    belongs_to: str | None = None


def inconsistencies(trajectory: Trajectory, owner: str | None = None) -> Iterator[Finding]:
    """Everything that the trajectory contradicts itself in; `owner` is the trial in whose folder it lies."""
    found = [*_ids(trajectory), *_order(trajectory), *_sums(trajectory)]
    if trajectory.total_steps is not None and trajectory.total_steps != len(trajectory.steps):
        found.append(f"it states {trajectory.total_steps} steps and has {len(trajectory.steps)}")
    if owner is not None and trajectory.belongs_to is not None and trajectory.belongs_to != owner:
        found.append(f"it is of {trajectory.belongs_to}, and lies in the folder of {owner}")
    for message in found:
        yield Finding("trajectory-inconsistent", message, path=trajectory.path)


def _ids(trajectory: Trajectory) -> Iterator[str]:
    for position, step in enumerate(trajectory.steps, 1):
        if step.id is not None and step.id != position:
            yield f"step {position} has the id {step.id}"
            return


def _order(trajectory: Trajectory) -> Iterator[str]:
    latest: datetime | None = None
    for position, step in enumerate(trajectory.steps, 1):
        moment = step.moment
        if moment is None:
            continue
        if latest is not None and (latest.tzinfo is None) == (moment.tzinfo is None) and moment < latest:
            yield f"step {position} is earlier than the step before it"
            return
        latest = moment


def _sums(trajectory: Trajectory) -> Iterator[str]:
    for name in COUNTED:
        stated = getattr(trajectory.totals, name)
        known = [value for step in trajectory.steps if (value := getattr(step.amounts, name)) is not None]
        if stated is None or not known:
            continue
        partly = trajectory.inner or any(
            step.by_agent and getattr(step.amounts, name) is None for step in trajectory.steps
        )
        total = sum(known)
        slack = _ROUNDING * max(1.0, abs(stated))
        if total - stated > slack or (not partly and stated - total > slack):
            yield f"total {name}: it states {stated:.10g}, its steps add up to {total:.10g}"
