"""Whose rows an entry is held against, and what is not said where nobody can tell."""

import pytest

from runaudit.layouts.nemo_gym.aggregate import check
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Owed, Slot
from tests.unit.layouts.aggregate_cases import (
    CLASS,
    OLD,
    THREE_OWED,
    TWO,
    TWO_SERVERS,
    failed,
    found,
    ids,
    owed,
    row,
)
from tests.unit.layouts.aggregate_producer import REPEAT, SERVER, TASK, Json, Rules, Run, produce

# who is who


def test_rows_that_name_nobody_take_the_names_of_their_inputs() -> None:
    run = TWO_SERVERS.copy()
    run.inputs = [{TASK: r[TASK], REPEAT: 0, SERVER: r[SERVER]} for r in run.rows]
    entries = produce(run, Rules())
    for item in run.rows:
        del item[SERVER], item["agent_ref"]
    assert ids(run, entries) == []
    run.inputs.clear()
    assert ids(run, entries) == ["aggregate-not-checked", "aggregate-not-checked"]
    assert ids(run, entries[:1]) == ["aggregate-misses-row"]


def test_an_entry_that_does_not_say_whose_it_is() -> None:
    entries = produce(TWO_SERVERS, Rules())
    del entries[1][SERVER], entries[1]["agent_ref"]
    assert "aggregate-misses-row" not in ids(TWO_SERVERS, entries)


def test_one_key_in_two_shards_is_not_checked() -> None:
    slots = [
        Slot(task_index=0, repeat=0, shard=name, rows=[Row(line=1, offset=0, fingerprint=0, reward=1.0, recorded=1.0)])
        for name in "ab"
    ]
    findings, (means,) = check(produce(TWO, Rules()), slots, path="a.json", sidecars=True, unplaced=0)
    assert [finding.id for finding in findings] == ["aggregate-not-checked"]
    assert "task 0, repeat 0" in means.explanation


def test_a_key_that_another_servers_row_hid_need_not_be_counted_with_its_class() -> None:
    slots = [
        _slot(0, "demo", rows=[1.0]),
        _slot(1, "demo", failure="environment_server_failed"),
        _slot(2, "demo", failure="environment_server_failed"),
        _slot(2, "other", rows=[1.0]),
    ]
    visible = Run(rows=[row(0), row(2, 1.0, server="other", agent="other_agent")], failures=[failed(1)])
    findings, _ = check(produce(visible, Rules(classes=CLASS)), slots, path="a.json", sidecars=True, unplaced=0)
    assert [finding.id for finding in findings] == ["aggregate-imputed"]


def _slot(task: int, server: str, rows: list[float] | None = None, failure: str | None = None) -> Slot:
    return Slot(
        task_index=task,
        repeat=0,
        server=server,
        owed=Owed(task_index=task, repeat=0, server=server),
        rows=[Row(line=1, offset=0, fingerprint=0, server=server, reward=r, recorded=r) for r in rows or ()],
        failures=[Row(line=1, offset=0, fingerprint=0, server=server, failure_class=failure)] if failure else [],
    )


# what nobody can tell


@pytest.mark.parametrize("rows", [[row(0)], [row(0), row(1, 0.5)]])
def test_a_row_whose_mask_is_unknowable_may_be_in_or_out(rows: list[Json]) -> None:
    slots = [_slot(0, "demo", rows=[1.0]), _slot(1, "demo", rows=[0.5])]
    slots[1].rows[0].masked = None
    findings, _ = check(produce(Run(rows=rows), Rules()), slots, path="a.json", sidecars=True, unplaced=0)
    assert findings == ()
    old, _ = check(produce(Run(rows=rows), OLD), slots, path="a.json", sidecars=True, unplaced=0)
    assert [finding.id for finding in old] == ["aggregate-not-checked"]


def test_of_conflicting_rows_one_must_be_the_one_that_entered() -> None:
    slots = [_slot(0, "demo", rows=[1.0, 0.0])]
    for reward, expected in ((1.0, []), (0.0, []), (0.5, ["aggregate-row-differs"])):
        findings, (means,) = check(
            produce(Run(rows=[row(0, reward)]), Rules()), slots, path="a.json", sidecars=True, unplaced=0
        )
        assert [finding.id for finding in findings] == expected
        assert (means.scored, means.unscored) == (0, 1)
    slots[0].rows[1].attempt = 2
    findings, _ = check(produce(Run(rows=[row(0, 1.0)]), Rules()), slots, path="a.json", sidecars=True, unplaced=0)
    assert [finding.id for finding in findings] == ["aggregate-row-differs"]


def test_while_rows_are_unplaced_a_key_without_a_row_may_be_theirs() -> None:
    entries = produce(TWO, Rules())
    run = Run(rows=[row(0)])
    assert ids(run, entries, unplaced=1) == ["aggregate-not-checked"]
    assert ids(run, entries, unplaced=0) == ["aggregate-row-vanished"]
    assert ids(run, produce(TWO, OLD), unplaced=1) == ["aggregate-not-checked"]


@pytest.mark.parametrize("rules", [Rules(missing=True), Rules(missing=True, listed=False)])
def test_a_merged_file_without_sidecars_may_count_any_key_as_zero(rules: Rules) -> None:
    merged = Run(rows=THREE_OWED.rows)
    (finding,) = found(merged, produce(THREE_OWED, rules), sidecars=False)
    assert finding.id == "aggregate-imputed"
    assert "nobody can tell" in finding.message


def test_a_merged_file_without_sidecars_counts_nothing_but_zeros() -> None:
    entries = produce(Run(rows=[row(0), row(1), row(2)]), Rules())
    assert ids(Run(rows=THREE_OWED.rows), entries, sidecars=False) == ["aggregate-row-vanished"]


def test_a_merged_file_without_sidecars_and_counts_shows_zeros_by_its_mean() -> None:
    entries = produce(THREE_OWED, Rules(missing=True, listed=False, counted=False))
    assert ids(Run(rows=THREE_OWED.rows), entries, sidecars=False) == ["aggregate-imputed"]
    entries[0]["agent_metrics"]["mean/reward"] = 0.8
    assert ids(Run(rows=THREE_OWED.rows), entries, sidecars=False) == ["aggregate-mean-differs"]


def test_rows_without_a_usable_judge_response_are_out_where_the_entry_says_so() -> None:
    run = Run(rows=[row(0, 0.8), row(1, 0.0, invalid_judge_response=True)])
    entries = produce(Run(rows=[row(0, 0.8)]), Rules())
    assert ids(run, entries) == ["aggregate-misses-row"]
    entries[0]["agent_metrics"]["rubric/aggregate_rows_included"] = 1
    assert ids(run, entries) == []
    only = [{**entries[0], "agent_metrics": {"rubric/aggregate_rows_included": 0}, "group_level_metrics": []}]
    assert ids(Run(rows=run.rows[1:]), only) == []


def test_too_many_choices_are_not_tried() -> None:
    run = Run(rows=[row(0)], inputs=owed(0), failures=[failed(n, f"class {n}", reward=2.0**-n) for n in range(1, 13)])
    assert ids(run, produce(run, OLD)) == ["aggregate-not-checked"]
    assert ids(run, produce(run, Rules())) == []
