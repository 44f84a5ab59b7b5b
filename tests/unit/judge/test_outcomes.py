"""What entries add up to: the denominators of the two means."""

import pytest

from runaudit.judge.outcomes import count
from runaudit.model.account import Account, Producer, RunIdentity
from runaudit.model.summary import Counts, Mean
from runaudit.model.task import TaskEntry


def counted(*entries: TaskEntry) -> Counts:
    return count(
        Account(
            layout="nemo-gym",
            producer=Producer("nemo-gym"),
            folder="/x",
            stem="rollouts",
            run=RunIdentity(),
            files={},
            evidence={},
            entries=list(entries),
        )
    )


def scored(task: int, repeat: int, reward: float, server: str | None = "s") -> TaskEntry:
    return TaskEntry(task_index=task, repeat=repeat, server=server, agent="a", outcome="scored", reward=reward)


def missing(task: int, repeat: int, server: str | None = None) -> TaskEntry:
    return TaskEntry(task_index=task, repeat=repeat, server=server, agent="a", outcome="missing")


def test_a_missing_repeat_belongs_to_the_task_of_the_repeat_that_ran() -> None:
    held = counted(scored(0, 0, 1.0), missing(0, 1))
    assert held.mean_reward == Mean(value=1.0, n=1, coverage=0.5)
    assert held.mean_reward_over_tasks == Mean(value=1.0, n=1, coverage=1.0)


def test_the_repeats_of_a_task_weigh_as_much_as_the_task() -> None:
    held = counted(scored(0, 0, 1.0), scored(0, 1, 1.0), scored(0, 2, 1.0), scored(1, 0, 0.0))
    assert held.mean_reward.value == pytest.approx(0.75)
    assert held.mean_reward_over_tasks == Mean(value=0.5, n=2, coverage=1.0)


def test_tasks_of_two_servers_with_one_index_are_two() -> None:
    held = counted(scored(0, 0, 1.0, "s"), scored(0, 0, 0.0, "t"), missing(0, 1))
    assert held.mean_reward_over_tasks == Mean(value=0.5, n=2, coverage=2 / 3)


def test_nothing_selected_has_no_coverage() -> None:
    assert counted().mean_reward == Mean(value=None, n=0, coverage=None)
