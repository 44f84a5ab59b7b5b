"""The means that an entry states, against the rewards that entered: over all, of each repeat, of each task."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import UNSET

from runaudit.layouts.nemo_gym.aggregate_context import Context
from runaudit.layouts.nemo_gym.aggregate_numbers import close, mean_of, number, numbers
from runaudit.layouts.nemo_gym.aggregate_shape import Key
from runaudit.model.finding import Finding

Rewards = Sequence[tuple[Key, Any]]


def mean_findings(context: Context, rewards: Rewards, *, grouped: bool, overall: bool = True) -> Iterator[Finding]:
    """Findings about every mean that the entry states, where `rewards` are all that entered.

    `overall` and `grouped` say whether the mean over all and those of the tasks are looked at.
    """
    entry = context.entry
    if overall:
        yield from _compare(context, "the mean", entry.mean, [reward for _, reward in rewards])
    for stated in entry.repeats:
        own = [reward for (_, repeat), reward in rewards if repeat == stated.repeat]
        yield from _compare(context, "the mean of a repeat", stated.mean, own, (None, stated.repeat))
    if grouped:
        yield from _group_findings(context, rewards)


def _group_findings(context: Context, rewards: Rewards) -> Iterator[Finding]:
    by_task: dict[int, list[Any]] = {}
    for (task_index, _), reward in rewards:
        by_task.setdefault(task_index, []).append(reward)
    for group in context.entry.groups:
        if group.infos is not None:
            own = [info.reward for info in group.infos]
        elif group.task_index in by_task:
            own = by_task[group.task_index]
        else:
            continue
        yield from _compare(context, "the mean of a task", group.mean, own, (group.task_index, None))


def _compare(
    context: Context,
    what: str,
    stated: Any,
    values: Iterable[Any],
    key: tuple[int | None, int | None] = (None, None),
) -> Iterator[Finding]:
    if stated is UNSET:
        return
    counted = numbers(list(values))
    expected = mean_of(counted)
    found = number(stated)
    if found is None:
        yield not_a_number(context, what, stated, expected, key)
    elif expected is None and counted:
        return
    elif expected is None or not close(found, expected):
        yield context.finding(
            "aggregate-mean-differs",
            f"{what} does not follow from the {len(counted)} rewards that entered",
            key=key,
            expected=UNSET if expected is None else expected,
            found=found,
        )


def not_a_number(
    context: Context, what: str, stated: Any, expected: float | None, key: tuple[int | None, int | None] = (None, None)
) -> Finding:
    """The finding about a stated mean that is null, not finite or of another type."""
    return context.finding(
        "aggregate-non-finite",
        f"{what} is no finite number",
        key=key,
        expected=UNSET if expected is None else expected,
        found=stated,
    )
