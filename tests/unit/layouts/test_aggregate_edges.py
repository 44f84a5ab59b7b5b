"""The edges of the aggregate's rules: where two of them meet, and where one must not be applied."""

from runaudit.layouts.nemo_gym.aggregate import check
from runaudit.layouts.nemo_gym.row import Row
from runaudit.layouts.nemo_gym.slot import Slot
from tests.unit.layouts.aggregate_cases import CLASS, COUNTED, OLD, TWO, TWO_SERVERS, failed, found, ids, owed, row
from tests.unit.layouts.aggregate_producer import Json, Rules, Run, produce, slots_of

MASKED = Run(rows=[row(0), row(1, 0.0, mask_sample=True)])


def found_ids(slots: list[Slot], entries: list[Json]) -> list[str]:
    findings, _ = check(entries, slots, path="a.json", sidecars=True, unplaced=0)
    return [finding.id for finding in findings]


def test_a_part_of_a_class_is_no_error_while_rows_are_unplaced() -> None:
    whole = Run(rows=[row(0)], failures=[failed(1), failed(2)])
    part = produce(Run(rows=[row(0)], failures=[failed(1)]), Rules(classes=CLASS))
    assert ids(whole, part, unplaced=1) == ["aggregate-imputed"]


def test_the_count_of_masked_rows_is_not_held_against_unplaced_ones() -> None:
    entries = produce(MASKED, Rules())
    entries[0]["agent_metrics"]["coverage/masked_rollouts"] = 2
    assert ids(MASKED, entries, unplaced=1) == []


def test_the_count_of_masked_rows_leaves_room_for_unknowable_ones() -> None:
    slots = slots_of(MASKED)
    slots[1].rows[0].masked = None
    entries = produce(MASKED, Rules())
    assert found_ids(slots, entries) == []
    entries[0]["agent_metrics"]["coverage/masked_rollouts"] = 2
    assert found_ids(slots, entries) == ["aggregate-masking-differs"]


def test_a_row_left_out_for_its_judge_is_not_counted_as_masked() -> None:
    masked = row(1, 0.0, mask_sample=True)
    run = Run(rows=[row(0), masked, row(2, 0.0, mask_sample=True, invalid_judge_response=True)])
    entries = produce(Run(rows=[row(0), masked]), Rules())
    entries[0]["agent_metrics"]["rubric/aggregate_rows_included"] = 2
    assert ids(run, entries) == []


def test_a_judged_row_that_an_empty_entry_leaves_out() -> None:
    entries = produce(Run(rows=[row(0)]), Rules())
    entries[0] |= {"agent_metrics": {"rubric/aggregate_rows_included": 0}, "group_level_metrics": []}
    assert ids(Run(rows=[row(0)]), entries) == ["aggregate-misses-row"]


def test_equal_rows_of_which_one_is_masked_may_be_in_or_out() -> None:
    slots = slots_of(Run(rows=[row(0), row(1), row(1, mask_sample=True)]))
    assert found_ids(slots, produce(Run(rows=[row(0)]), Rules())) == []
    assert found_ids(slots, produce(TWO, Rules())) == []


def test_a_server_is_not_joined_to_another_by_its_agent() -> None:
    run = TWO_SERVERS.copy()
    run.rows.append(row(2, server="third"))
    (finding,) = found(run, produce(TWO_SERVERS, Rules()))
    assert (finding.id, finding.task_index) == ("aggregate-misses-row", 2)
    assert "third" in finding.message


def test_an_entry_that_is_there_twice_is_nobodys() -> None:
    assert ids(TWO, produce(TWO, Rules()) * 2).count("aggregate-misses-row") == 2


def test_rewards_that_cancel_out_hide_no_task_mean() -> None:
    run = Run(rows=[row(0, -1.0), row(1, 1.0)], inputs=owed(0, 1, 2))
    entries = produce(run, OLD)
    assert ids(run, entries) == []
    entries[0]["group_level_metrics"][0]["mean/reward"] = 0.5
    assert ids(run, entries) == ["aggregate-mean-differs"]


def test_token_counts_of_a_task_without_rows_are_no_imputed_zero() -> None:
    run = Run(rows=[row(0), row(1, 0.0)], inputs=owed(0, 1))
    entries = produce(run, OLD)
    del run.rows[1]
    assert "aggregate-row-vanished" in ids(run, entries)


def test_a_merged_file_may_count_zeros_within_a_task() -> None:
    owing = Run(rows=[row(0)], inputs=[row(0), row(0, repeat=1)])
    for item in owing.inputs:
        del item["reward"], item["response"]
    assert ids(Run(rows=owing.rows), produce(owing, Rules(missing=True, listed=False)), sidecars=False) == [
        "aggregate-imputed"
    ]
    assert ids(TWO, produce(TWO, COUNTED), sidecars=False) == []


def test_rows_that_are_not_masked_are_not_said_to_be_taken_in() -> None:
    run = Run(rows=[row(0, mask_sample=False)])
    _, (account,) = check(produce(run, Rules(release="0.6")), slots_of(run), path="a.json", sidecars=True, unplaced=0)
    assert account.explanation == "Nothing sets them apart."


def test_a_row_that_states_its_reward_twice_is_compared_with_nothing() -> None:
    stated_twice = Row(line=1, offset=0, fingerprint=0, server="demo", reward=1.0, recorded=1.0, contradicts="reward")
    slots = [Slot(task_index=0, repeat=0, server="demo", rows=[stated_twice])]
    assert found_ids(slots, produce(Run(rows=[row(0, 0.0)]), Rules())) == []
