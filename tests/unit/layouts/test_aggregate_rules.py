"""Every rule that holds the aggregate against the rows: one sound instance, and broken ones with what is found."""

from collections.abc import Callable
from typing import Any

import pytest

from runaudit.read.values import NonFinite
from tests.unit.layouts.aggregate_cases import (
    CLASS,
    COUNTED,
    NAMED,
    OLD,
    ONE_FAILED,
    THREE_OWED,
    TOKENS,
    TWO,
    TWO_SERVERS,
    failed,
    found,
    ids,
    owed,
    row,
)
from tests.unit.layouts.aggregate_producer import REPEAT, SERVER, TASK, Json, Rules, Run, produce


def group_of(entries: list[Json], task: int) -> Json:
    group: Json = next(g for e in entries for g in e["group_level_metrics"] if g[TASK] == task)
    return group


def info_of(entries: list[Json], task: int) -> Json:
    info: Json = group_of(entries, task)["rollout_infos"][0]
    return info


# what people reported in public, rebuilt: seven that fit no rule, two that fit one


def test_an_edited_reward_is_named_with_both_values() -> None:
    entries = produce(Run(rows=[row(0), row(1, 0.0)]), Rules())
    (finding,) = found(TWO, entries)
    assert (finding.id, finding.task_index, finding.repeat) == ("aggregate-row-differs", 1, 0)
    assert (finding.expected, finding.found) == ("1.0", "0.0")


def test_a_row_that_did_not_enter() -> None:
    (finding,) = found(TWO, produce(Run(rows=[row(0)]), Rules()))
    assert (finding.id, finding.task_index, finding.repeat) == ("aggregate-misses-row", 1, 0)
    assert (finding.expected, finding.found) == ("1.0", "absent")


def test_a_row_that_is_gone() -> None:
    (finding,) = found(THREE_OWED, produce(Run(rows=[row(0), row(1), row(2)]), Rules()))
    assert (finding.id, finding.task_index, finding.repeat) == ("aggregate-row-vanished", 2, 0)
    assert (finding.expected, finding.found) == ("absent", "1.0")


def test_a_key_that_nobody_owed() -> None:
    foreign = row(9)
    del foreign["response"]
    (finding,) = found(TWO, produce(Run(rows=[row(0), row(1), foreign]), Rules()))
    assert (finding.id, finding.task_index, finding.repeat) == ("aggregate-foreign-row", 9, 0)
    assert (finding.expected, finding.found) == ("absent", "1.0")


def test_a_part_of_a_failure_class() -> None:
    whole = Run(rows=[row(0)], failures=[failed(1), failed(2)], inputs=owed(0, 1, 2))
    part = Run(rows=[row(0)], failures=[failed(1)], inputs=owed(0, 1))
    partly, imputed = found(whole, produce(part, Rules(classes=CLASS)))
    assert (partly.id, partly.task_index, imputed.id) == ("aggregate-imputed-partly", 2, "aggregate-imputed")
    assert (partly.expected, partly.found) == ("0.0", "absent")
    assert ids(whole, produce(whole, Rules(classes=CLASS))) == ["aggregate-imputed"]
    assert ids(whole, produce(whole, Rules())) == []


def test_a_part_of_the_keys_without_a_trace() -> None:
    whole = Run(rows=[row(0)], inputs=owed(0, 1, 2))
    part = produce(Run(rows=[row(0)], inputs=owed(0, 1)), Rules(missing=True))
    assert ids(whole, part) == ["aggregate-imputed-partly", "aggregate-imputed"]
    assert ids(whole, produce(whole, Rules(missing=True))) == ["aggregate-imputed"]


@pytest.mark.parametrize("listed", [True, False])
def test_a_mean_that_does_not_follow(listed: bool) -> None:
    entries = produce(TWO, Rules(listed=listed))
    entries[0]["agent_metrics"]["mean/reward"] = 0.8
    (finding,) = found(TWO, entries)
    assert (finding.id, finding.expected, finding.found) == ("aggregate-mean-differs", "1.0", "0.8")


@pytest.mark.parametrize("rules", [Rules(classes=CLASS), Rules(classes=CLASS, listed=False)])
def test_a_zero_that_no_row_holds_is_one_note_with_both_means(rules: Rules) -> None:
    (finding,) = found(ONE_FAILED, produce(ONE_FAILED, rules))
    assert finding.id == "aggregate-imputed"
    assert "mean 1.0 over 2 rows, 0.6666666666666666 over 3 in the aggregate" in finding.message
    assert (finding.expected, finding.found) == ("1.0", "0.6666666666666666")


# the rest, as a table: a run, its aggregate's rules, an edit of run or aggregate, what is found

Change = Callable[[Run, list[Json]], object]


def set_mean(value: Any) -> Change:
    return lambda _, entries: entries[0]["agent_metrics"].__setitem__("mean/reward", value)


def drop_group(task: int) -> Change:
    return lambda _, entries: entries[0]["group_level_metrics"].remove(group_of(entries, task))


def set_group(task: int, name: str, value: Any) -> Change:
    return lambda _, entries: group_of(entries, task).__setitem__(name, value)


def set_info(task: int, name: str, value: Any) -> Change:
    return lambda _, entries: info_of(entries, task).__setitem__(name, value)


def set_metric(name: str, value: Any) -> Change:
    return lambda _, entries: entries[0]["agent_metrics"].__setitem__(name, value)


def drop_row(task: int) -> Change:
    return lambda run, _: run.rows.remove(next(item for item in run.rows if item[TASK] == task))


def set_row(task: int, name: str, value: Any) -> Change:
    return lambda run, _: next(item for item in run.rows if item[TASK] == task).__setitem__(name, value)


def unowed_task(run: Run, entries: list[Json]) -> None:
    run.inputs.clear()
    drop_row(1)(run, entries)
    del group_of(entries, 1)["mean/input_tokens"]


def no_object(_: Run, entries: list[Any]) -> None:
    entries[0] = 3


def nothing(_: Run, __: list[Json]) -> None:
    pass


MASKED = Run(rows=[row(0), row(1, 0.0, mask_sample=True)], inputs=owed(0, 1))
ALL_MASKED = Run(rows=[row(0, 0.0, mask_sample=True)])
REPEATS = Run(rows=[row(0), row(0, 0.0, repeat=1), row(1, 0.5), row(1, 1.0, repeat=1)])
NULL = Run(rows=[row(0), row(1, None)])
BOOLEAN = Run(rows=[row(0, True), row(1, 0.0)])
OWN_REWARD = Run(rows=[row(0)], failures=[failed(1, reward=0.25), failed(2)], inputs=owed(0, 1, 2))
JUDGED = Run(rows=[row(0)], failures=[failed(1, reward=0.0, **TOKENS)], inputs=owed(0, 1))
LAST_STANDS = Run(rows=[row(0)], failures=[failed(1, "other"), failed(1)], inputs=owed(0, 1))
NO_TOKENS = Run(rows=[{TASK: 0, REPEAT: 0, "reward": 1.0, **NAMED}, row(1)], inputs=owed(0, 1))

TABLE: dict[str, tuple[Run, Rules, Change, list[str]]] = {
    "masked rows are out from 0.7": (MASKED, Rules(), nothing, []),
    "masked rows are in up to 0.6": (MASKED, Rules(release="0.6"), nothing, []),
    "masked rows are out without a count": (
        MASKED,
        Rules(),
        lambda _, e: e[0]["agent_metrics"].pop("coverage/masked_rollouts"),
        [],
    ),
    "the count of masked rows": (
        MASKED,
        Rules(),
        set_metric("coverage/masked_rollouts", 2),
        ["aggregate-masking-differs"],
    ),
    "a count of masked rows that is none": (
        MASKED,
        Rules(),
        set_metric("coverage/masked_rollouts", "1"),
        ["aggregate-masking-differs"],
    ),
    "a masked row that entered": (TWO, Rules(), set_row(1, "mask_sample", True), ["aggregate-masking-differs"]),
    "a row unmasked later": (
        MASKED,
        Rules(),
        set_row(1, "mask_sample", False),
        ["aggregate-masking-differs", "aggregate-misses-row"],
    ),
    "all rows masked": (ALL_MASKED, Rules(), nothing, []),
    "all rows said to be masked": (
        ALL_MASKED,
        Rules(),
        set_row(0, "mask_sample", False),
        ["aggregate-masking-differs", "aggregate-misses-row"],
    ),
    "repeats": (REPEATS, Rules(), nothing, []),
    "a repeat's mean": (
        REPEATS,
        Rules(),
        lambda _, e: e[0]["repeat_level_metrics"][1].update({"mean/reward": 0.9}),
        ["aggregate-mean-differs"],
    ),
    "a repeat's mean, unlisted": (
        REPEATS,
        OLD,
        lambda _, e: e[0]["repeat_level_metrics"][1].update({"mean/reward": 0.9}),
        ["aggregate-mean-differs"],
    ),
    "a task's mean": (REPEATS, Rules(), set_group(1, "mean/reward", 0.7), ["aggregate-mean-differs"]),
    "a task's mean, unlisted": (REPEATS, OLD, set_group(1, "mean/reward", 0.7), ["aggregate-mean-differs"]),
    "across repeats is not compared": (REPEATS, Rules(), set_metric("mean_across_repeats/mean/reward", 9.0), []),
    "look-alikes are not compared": (TWO, Rules(), set_metric("mean/reward_text", 9.0), []),
    "null is null": (NULL, Rules(), nothing, []),
    "null is not 0": (NULL, Rules(), set_info(1, "reward", 0.0), ["aggregate-row-differs", "aggregate-mean-differs"]),
    "a boolean is 0 or 1": (BOOLEAN, Rules(), nothing, []),
    "a boolean as a number": (BOOLEAN, Rules(), set_info(0, "reward", 1), []),
    "rounding": (TWO, Rules(), set_mean(1.0 + 1e-10), []),
    "more than rounding": (TWO, Rules(), set_mean(1.0 + 1e-8), ["aggregate-mean-differs"]),
    "a null mean": (TWO, Rules(), set_mean(None), ["aggregate-non-finite"]),
    "a mean that is NaN": (TWO, Rules(), set_mean(NonFinite("NaN")), ["aggregate-non-finite"]),
    "a mean that is text": (TWO, Rules(), set_mean("1.0"), ["aggregate-non-finite"]),
    "a null mean, unlisted": (TWO, OLD, set_mean(None), ["aggregate-non-finite"]),
    "no mean": (TWO, Rules(), lambda _, e: e[0]["agent_metrics"].pop("mean/reward"), ["aggregate-not-checked"]),
    "no mean, unlisted": (TWO, OLD, lambda _, e: e[0]["agent_metrics"].pop("mean/reward"), ["aggregate-not-checked"]),
    "a mean of nothing": (Run(rows=[row(0, None)]), Rules(), set_mean(0.0), ["aggregate-mean-differs"]),
    "a mean of nothing, unlisted": (Run(rows=[row(0, None)]), OLD, set_mean(0.0), ["aggregate-mean-differs"]),
    "a failure's own reward": (OWN_REWARD, Rules(classes=CLASS), nothing, ["aggregate-imputed"]),
    "a failure's own reward, unlisted": (
        OWN_REWARD,
        Rules(classes=CLASS, listed=False, counted=False),
        nothing,
        ["aggregate-imputed"],
    ),
    "a failure's reward changed": (
        OWN_REWARD,
        Rules(classes=CLASS),
        set_info(1, "reward", 0.0),
        ["aggregate-row-vanished", "aggregate-mean-differs", "aggregate-mean-differs", "aggregate-imputed"],
    ),
    "a failure with token counts": (JUDGED, Rules(classes=CLASS), nothing, ["aggregate-imputed"]),
    "the last failure stands": (LAST_STANDS, Rules(classes=CLASS), nothing, ["aggregate-imputed"]),
    "a reward that no rule counts": (NO_TOKENS, Rules(), drop_row(0), ["aggregate-row-vanished"]),
    "a row gone, unlisted": (TWO, OLD, drop_row(1), ["aggregate-row-vanished"]),
    "a row gone without token counts, unlisted": (NO_TOKENS, OLD, drop_row(0), ["aggregate-row-vanished"]),
    "a task that nobody owed, unlisted": (TWO, OLD, unowed_task, ["aggregate-foreign-row"]),
    "a task without a group, unlisted": (TWO, OLD, drop_group(1), ["aggregate-misses-row"]),
    "a task over fewer rows, unlisted": (REPEATS, COUNTED, set_group(0, "num_rollouts", 1), ["aggregate-misses-row"]),
    "a task over more rows, unlisted": (REPEATS, COUNTED, set_group(0, "num_rollouts", 3), ["aggregate-row-vanished"]),
    "a zero that the count rules out, unlisted": (ONE_FAILED, COUNTED, set_mean(2 / 3), ["aggregate-mean-differs"]),
    "a zero that the mean shows, unlisted": (ONE_FAILED, OLD, set_mean(2 / 3), ["aggregate-imputed"]),
    "several servers": (TWO_SERVERS, Rules(), nothing, []),
    "several agents": (TWO_SERVERS, Rules(release="0.6"), nothing, []),
    "an entry removed": (TWO_SERVERS, Rules(), lambda _, e: e.pop(), ["aggregate-misses-row"]),
    "every entry removed": (TWO, Rules(), lambda _, e: e.clear(), ["aggregate-misses-row", "aggregate-misses-row"]),
    "another server's name": (TWO, Rules(), lambda _, e: e[0].update({SERVER: "elsewhere", "agent_ref": None}), []),
    "an error entry": (TWO, Rules(), lambda _, e: e[0].update({"aggregation_error": "no"}), ["aggregate-failed"]),
    "an entry without metrics": (
        TWO,
        Rules(),
        lambda _, e: e[0].update({"agent_metrics": {}, "group_level_metrics": []}),
        ["aggregate-not-checked"],
    ),
    "an entry that is no object": (TWO, Rules(), no_object, ["aggregate-unreadable"]),
    "groups that are no list": (
        TWO,
        Rules(),
        lambda _, e: e[0].update({"group_level_metrics": {}}),
        ["aggregate-unreadable"],
    ),
    "a key listed twice": (TWO, Rules(), set_info(1, TASK, 0), ["aggregate-not-checked"]),
    "a row listed without its key": (TWO, Rules(), set_info(1, TASK, None), ["aggregate-not-checked"]),
    "rows listed in a part of the groups": (
        TWO,
        Rules(),
        lambda _, e: group_of(e, 1).pop("rollout_infos"),
        ["aggregate-unreadable"],
    ),
}


@pytest.mark.parametrize(("run", "rules", "change", "expected"), TABLE.values(), ids=TABLE)
def test_the_table(run: Run, rules: Rules, change: Change, expected: list[str]) -> None:
    changed, entries = run.copy(), produce(run, rules)
    change(changed, entries)
    assert ids(changed, entries) == expected
