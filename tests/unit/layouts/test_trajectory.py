"""What a trajectory must agree with itself on."""

from datetime import UTC, datetime

import pytest

from runaudit.layouts.trajectory import Amounts, Step, Trajectory, inconsistencies

NOTHING = Amounts()
FIRST, SECOND = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)


def said(trajectory: Trajectory, owner: str | None = None) -> list[str]:
    return [found.message for found in inconsistencies(trajectory, owner)]


def made(*steps: Step, totals: Amounts = NOTHING, **more: object) -> Trajectory:
    return Trajectory(path="t.json", steps=steps, totals=totals, **more)  # type: ignore[arg-type]  # fields by name


def test_a_sound_trajectory_says_nothing() -> None:
    steps = (Step(1, FIRST), Step(2, SECOND, by_agent=True, amounts=Amounts(input=5, cost=0.1)))
    assert said(made(*steps, totals=Amounts(input=5, cost=0.1), total_steps=2, belongs_to="a"), "a") == []


@pytest.mark.parametrize(
    ("trajectory", "message"),
    [
        (made(Step(1), Step(3)), "step 2 has the id 3"),
        (made(Step(1, SECOND), Step(2, FIRST)), "step 2 is earlier than the step before it"),
        (made(Step(1), total_steps=2), "it states 2 steps and has 1"),
        (
            made(Step(1, by_agent=True, amounts=Amounts(output=3)), totals=Amounts(output=4)),
            "total output: it states 4, its steps add up to 3",
        ),
        (
            made(Step(1, amounts=Amounts(output=5)), totals=Amounts(output=4), inner=True),
            "total output: it states 4, its steps add up to 5",
        ),
        (made(Step(1), belongs_to="b"), "it is of b, and lies in the folder of a"),
    ],
)
def test_a_contradiction_is_named(trajectory: Trajectory, message: str) -> None:
    assert said(trajectory, "a") == [message]


@pytest.mark.parametrize(
    "trajectory",
    [
        made(Step(), Step()),
        made(Step(1, FIRST), Step(2, SECOND.replace(tzinfo=None))),
        made(Step(1, by_agent=True, amounts=Amounts(input=1)), Step(2, by_agent=True), totals=Amounts(input=9)),
        made(Step(1, by_agent=True, amounts=Amounts(input=1)), totals=Amounts(input=9), inner=True),
        made(Step(1), totals=Amounts(input=9)),
    ],
    ids=["no ids", "clocks", "a step without metrics", "inner agents", "no metrics"],
)
def test_what_cannot_be_told_is_not_judged(trajectory: Trajectory) -> None:
    assert said(trajectory) == []
