"""Older files: an entry that does not list its rows. Its tasks, counts and means are held against the rows instead.

Each task that entered has one group. How many keys were counted without a row follows from the groups' counts where
they state any, else from the mean: it must be a mean that some choice of whole kinds makes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec

from runaudit.layouts.nemo_gym.aggregate_context import Context, Outcome
from runaudit.layouts.nemo_gym.aggregate_listed import missed_rows
from runaudit.layouts.nemo_gym.aggregate_means import mean_findings, not_a_number
from runaudit.layouts.nemo_gym.aggregate_members import Ghost, ghost_number, row_reward
from runaudit.layouts.nemo_gym.aggregate_numbers import close, mean_of, number, numbers
from runaudit.layouts.nemo_gym.aggregate_shape import Key, TaskGroup
from runaudit.model.finding import Finding

_MOST_CHOICES = 1024
_MOST_ZEROS = 1 << 53
Held = TypeVar("Held")


class Choice(msgspec.Struct, frozen=True, order=True):
    """A choice of keys counted without a row: how many, how many of them with a number, and the sum of these."""

    keys: int = 0
    numbers: int = 0
    total: float = 0.0

    def plus(self, ghosts: list[Ghost]) -> "Choice":
        """The choice with these counted, too."""
        values = numbers([ghost_number(ghost) for ghost in ghosts])
        return Choice(self.keys + len(ghosts), self.numbers + len(values), self.total + sum(values))


def check_unlisted(context: Context) -> Outcome:
    """Holds tasks, counts and means of the entry against the rows."""
    known = context.members
    if known.free or context.unplaced:
        return Outcome((), not_compared="it lists no rows, and not every row can be said to be in or out")
    findings = [*_tasks_without_group(context), *_groups(context)]
    rewards = [(key, row_reward(row)) for key, row in sorted(known.kept.items())]
    values = numbers([reward for _, reward in rewards])
    stated = context.entry.mean
    if stated is msgspec.UNSET:
        extra = max(_extra_of(context) or 0, 0)
        findings += mean_findings(context, rewards, grouped=not extra, overall=False)
        return Outcome(tuple(findings), n=len(values), extra=extra)
    found = number(stated)
    if found is None:
        return Outcome((*findings, not_a_number(context, "the mean", stated, mean_of(values))))
    fits = _fits(context, values, found)
    if fits is None:
        return Outcome(
            tuple(findings), not_compared="it lists no rows, and too many choices of keys could make its mean"
        )
    if not fits:
        if not findings:
            findings.append(_no_fit(context, values, found))
        return Outcome(tuple(findings), n=_stated_count(context))
    if fits == [Choice()]:
        findings += mean_findings(context, rewards, grouped=True, overall=False)
    elif context.sidecars:
        findings += _group_means(context)
    return Outcome(tuple(findings), extra=fits[0].keys, n=len(values) + fits[0].numbers)


def _tasks_without_group(context: Context) -> list[Finding]:
    groups = {group.task_index for group in context.entry.groups}
    return missed_rows(context, [key for key in context.members.kept if groups and key[0] not in groups])


def _groups(context: Context) -> Iterator[Finding]:
    rows = Counter(task_index for task_index, _ in context.members.kept)
    by_task = _by_task(context.members.ghosts)
    for group in context.entry.groups:
        if group.task_index is None:
            continue
        ghosts = by_task.get(group.task_index, [])
        if rows[group.task_index]:
            yield from _count(context, group, rows[group.task_index], len(ghosts))
        else:
            yield from _without_rows(context, group, ghosts)


def _count(context: Context, group: TaskGroup, rows: int, ghosts: int) -> Iterator[Finding]:
    """A group that states how many rows it is over."""
    if group.count is None or (group.count >= rows and not context.sidecars) or rows <= group.count <= rows + ghosts:
        return
    fewer = group.count < rows
    yield context.finding(
        "aggregate-misses-row" if fewer else "aggregate-row-vanished",
        f"a task is over {group.count} rows; {rows} count, and {ghosts} keys can be counted without one",
        key=(group.task_index, None),
        expected=rows,
        found=group.count,
    )


def _without_rows(context: Context, group: TaskGroup, ghosts: list[Ghost]) -> Iterator[Finding]:
    """A group of a task that has no row on disk."""
    found = number(group.mean)
    if not context.sidecars and (found is None or close(found, 0.0)):
        return
    key = (group.task_index, None)
    if group.tokens and not any(ghost.tokens for ghost in ghosts):
        yield context.finding(
            "aggregate-row-vanished",
            "it holds token counts of a task without a row",
            key=key,
            expected="absent",
            found=group.mean,
        )
    elif not ghosts:
        yield context.finding(
            "aggregate-foreign-row",
            "it counts a task that has neither a row nor an owed or failed key",
            key=key,
            expected="absent",
            found=group.mean,
        )
    elif found is not None and not close(found, 0.0) and not any(ghost_number(ghost) for ghost in ghosts):
        yield context.finding(
            "aggregate-row-vanished",
            "it holds a mean that no rule counts for a task without a row",
            key=key,
            expected=0.0,
            found=found,
        )


def _fits(context: Context, values: list[float], found: float) -> list[Choice] | None:
    """The choices of keys without a row that make the stated mean of the rows' rewards, the smallest first.

    None when there are too many to try.
    """
    extra = _extra_of(context)
    choices: set[Choice] | None
    if context.sidecars:
        choices = _reachable(_by_kind(list(context.members.ghosts.values())))
    else:
        choices = _any_number(values, found, extra)
    if choices is None:
        return None
    return [choice for choice in _making(choices, values, found) if extra is None or choice.keys == extra]


def _making(choices: set[Choice], values: list[float], found: float) -> list[Choice]:
    return [
        choice
        for choice in sorted(choices)
        if (count := len(values) + choice.numbers) and close((sum(values) + choice.total) / count, found)
    ]


def _by_kind(ghosts: list[Ghost]) -> list[list[Ghost]]:
    """The ghosts that are counted together or not at all."""
    kinds: dict[str | int, list[Ghost]] = {}
    for ghost in ghosts:
        kinds.setdefault(len(kinds) if ghost.kind is None else ghost.kind, []).append(ghost)
    return list(kinds.values())


def _reachable(kinds: list[list[Ghost]]) -> set[Choice] | None:
    choices = {Choice()}
    for ghosts in kinds:
        choices |= {choice.plus(ghosts) for choice in choices}
        if len(choices) > _MOST_CHOICES:
            return None
    return choices


def _any_number(values: list[float], found: float, extra: int | None) -> set[Choice]:
    """Without sidecars any number of zeros is possible: as many as the groups say, else as the mean needs."""
    if extra is not None:
        return {Choice(extra, extra)} if extra >= 0 else set()
    if not found:
        # zeros leave a mean of zero as it is: none is as likely as one
        return {Choice(), Choice(1, 1)}
    ratio = sum(values) / found - len(values)
    return {Choice(), Choice(round(ratio), round(ratio))} if 0 <= ratio < _MOST_ZEROS else {Choice()}


def _group_means(context: Context) -> Iterator[Finding]:
    """The mean of each task with rows, where keys without a row may be in it."""
    rows, ghosts = _by_task(context.members.kept), _by_task(context.members.ghosts)
    for group in context.entry.groups:
        found = number(group.mean)
        own = numbers([row_reward(row) for row in rows.get(group.task_index, ())])
        alone = [[ghost] for ghost in ghosts.get(group.task_index, ())]
        choices = _reachable(alone)
        if found is None or not own or choices is None:
            continue
        if not _making(choices, own, found):
            yield context.finding(
                "aggregate-mean-differs",
                f"the mean of a task does not follow from {len(own)} rewards and up to {len(alone)} keys without a row",
                key=(group.task_index, None),
                expected=mean_of(own),
                found=found,
            )


def _by_task(keyed: Mapping[Key, Held]) -> dict[int | None, list[Held]]:
    found: dict[int | None, list[Held]] = {}
    for (task_index, _), value in keyed.items():
        found.setdefault(task_index, []).append(value)
    return found


def _extra_of(context: Context) -> int | None:
    """How many keys without a row the groups' counts leave; None where a group states none."""
    count = _stated_count(context)
    return None if count is None else count - len(context.members.kept)


def _stated_count(context: Context) -> int | None:
    counts = [group.count for group in context.entry.groups]
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _no_fit(context: Context, values: list[float], found: float) -> Finding:
    return context.finding(
        "aggregate-mean-differs",
        f"the mean does not follow from {len(values)} rewards with the sum {sum(values)!r} and up to "
        f"{len(context.members.ghosts)} keys without a row",
        expected=mean_of(values) if values else "absent",
        found=found,
    )
