"""Behaviours of the task entries: who has one, what came out, where its evidence lies, what its input was."""

import json
import shutil

import pytest

import runaudit
from runaudit import NO_REFERENCE_SOLUTION
from runaudit.errors import InputError
from tests.builders import (
    DIGEST,
    TRAJECTORY,
    Run,
    failure,
    flat_input,
    flat_row,
    lines,
    native_input,
    request,
    row,
    without,
)
from tests.stories.summaries import (
    command,
    entry,
    findings,
    outcomes,
    places,
    stored,
    summarized,
    summary_of,
)

PATHS = ("verifier_logs", "test_stdout", "reward_file", "trajectory", "artifacts")


def test_every_selected_task_and_repeat_has_its_outcome(run: Run) -> None:
    run.inputs(*(native_input(task, repeat) for task in range(3) for repeat in range(2)))
    masked = row(1, 0, reward=0.0, mask_sample=True, failure_kind="verifier_error")
    run.results(row(0, 0), row(0, 1, reward=0.0), masked, without(row(1, 1), "reward"))
    run.failures(failure(2, 0), failure(2, 0, _ng_failure_terminal=True))
    document = summarized(run)
    expected = {"0/0": "scored", "0/1": "scored", "1/0": "masked", "1/1": "unscored", "2/0": "failed", "2/1": "missing"}
    assert outcomes(document) == expected
    assert entry(document, 2, 0)["failure"] == {
        "class": "environment_server_failed",
        "kind": None,
        "stage": "agent",
        "attempts": 2,
        "terminal": True,
        "message": "the server went away",
    }
    assert document["counts"]["mean_reward"] == {"value": 0.5, "n": 2, "coverage": 2 / 6}


def test_a_native_entry_carries_its_inputs_digests_and_metadata(run: Run) -> None:
    run.inputs(native_input(0))
    run.results(row(0))
    told = entry(summary_of(run))["input"]
    assert told["digests"] == {"task": DIGEST}
    assert told["metadata"] == {"agent_timeout_sec": "600"}
    assert told["digest"].startswith("sha256:")


def test_a_flat_entry_carries_its_inputs_digest_and_metadata(run: Run) -> None:
    run.inputs(flat_input(0), flat_input(0, 1), flat_input(1))
    document = summary_of(run)
    same, again, other = (entry(document, *key)["input"] for key in ((0, 0), (0, 1), (1, 0)))
    assert same["metadata"] == {"agent_timeout_sec": "600"}
    assert same["digest"] == again["digest"] != other["digest"]


def test_a_multi_step_entry_carries_its_metadata_per_turn(run: Run) -> None:
    turns = [{"name": f"step-{n}", "responses_create_params": request(n) | {"metadata": {"n": str(n)}}} for n in (1, 2)]
    task_input = {"turns": turns, "task_data": {"_ng_digest": DIGEST}}
    run.inputs(native_input(0, task_input=task_input))
    run.results(row(0))
    told = entry(summary_of(run))["input"]
    assert told["turns"] == [{"name": f"step-{n}", "metadata": {"n": str(n)}} for n in (1, 2)]
    assert told["digests"] == {"task": DIGEST}


def test_every_file_of_a_log_folder_gets_its_own_path(run: Run) -> None:
    names = {"test-stdout.txt": "ok", "reward.txt": "1.0", "trajectory.json": TRAJECTORY, "artifacts/answer.txt": "2"}
    run.inputs(native_input(0))
    run.results(row(0, verifier_logs_dir=run.logs("v0", names)))
    one = entry(summary_of(run))
    assert {name: one[name] for name in PATHS} == {
        "verifier_logs": "verifier/v0",
        "test_stdout": "verifier/v0/test-stdout.txt",
        "reward_file": "verifier/v0/reward.txt",
        "trajectory": "verifier/v0/trajectory.json",
        "artifacts": "verifier/v0/artifacts",
    }


def test_a_named_path_that_is_not_on_disk_is_missing_and_never_dropped(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    gone = str(run.folder / "verifier" / "gone")
    run.results(row(0, verifier_logs_dir=gone), row(1))
    document = summarized(run)
    missing = {"path": gone, "field": "verifier_logs", "task_index": 0, "repeat": 0}
    assert document["missing_paths"] == [missing]
    assert findings(document)["missing-log-folder"] == 1
    assert (entry(document)["outcome"], entry(document)["reward"]) == ("scored", 1.0)


@pytest.mark.parametrize("said", [{"verifier_logs_dir": None}, {}], ids=["null", "absent"])
def test_a_row_that_names_no_log_folder_misses_nothing(run: Run, said: dict[str, None]) -> None:
    run.inputs(native_input(0))
    run.results(row(0, reward=0.0, mask_sample=True) | said)
    document = summary_of(run)
    assert [entry(document)[name] for name in PATHS] == [None] * 5
    assert document["missing_paths"] == []


def test_a_log_folder_that_is_gone_is_missing_as_verifier_logs(run: Run) -> None:
    logs = run.logs("v0", {"reward.txt": "1.0", "test-stdout.txt": "ok"})
    run.inputs(native_input(0))
    run.results(row(0, verifier_logs_dir=logs))
    assert summary_of(run)["missing_paths"] == []
    shutil.rmtree(logs)
    document = summary_of(run)
    assert [(gone["field"], gone["path"]) for gone in document["missing_paths"]] == [("verifier_logs", logs)]
    assert [entry(document)[name] for name in PATHS] == [None] * 5


@pytest.mark.parametrize("absent", ["test-stdout.txt", "reward.txt", "trajectory.json", "artifacts/answer.txt"])
def test_an_optional_file_that_is_absent_is_null_and_not_missing(run: Run, absent: str) -> None:
    names = {"test-stdout.txt": "ok", "reward.txt": "0", "trajectory.json": TRAJECTORY, "artifacts/answer.txt": "2"}
    del names[absent]
    run.inputs(native_input(0))
    run.results(row(0, reward=0.0, verifier_logs_dir=run.logs("v0", names)))
    document = summary_of(run)
    assert sum(entry(document)[name] is None for name in PATHS) == 1
    assert document["missing_paths"] == []
    assert set(findings(document)) <= {"tasks-unscored"}


def test_a_validate_without_solutions_says_why_nothing_ran(run: Run) -> None:
    told = {"sum-0": NO_REFERENCE_SOLUTION, "sum-1": NO_REFERENCE_SOLUTION}
    document = runaudit.write_run_summary(run.rollouts, [], unvalidated=told)
    assert document["unvalidated"] == told
    assert (document["tasks"], document["counts"]["selected"]) == ([], 0)
    assert "2 tasks have no reference solution" in places(document, "nothing-ran")[0]["message"]
    assert stored(run.summary) == document


def test_an_unvalidated_task_has_no_entry(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(row(0))
    told = run.put("unvalidated.json", {"sum-1": "no solution"})
    document = summarized(run, "--unvalidated", told)
    assert outcomes(document) == {"0/0": "scored"}
    assert document["unvalidated"] == {"sum-1": "no solution"}
    assert summary_of(run)["unvalidated"] == {}
    assert outcomes(summary_of(run)) == {"0/0": "scored", "1/0": "missing"}


def test_a_list_of_unvalidated_tasks_gets_the_standing_reason(run: Run) -> None:
    run.inputs(native_input(0))
    document = summarized(run, "--unvalidated", run.put("unvalidated.json", ["sum-0"]))
    assert document["unvalidated"] == {"sum-0": NO_REFERENCE_SOLUTION}


def test_skipped_tasks_are_named_with_their_reason(run: Run) -> None:
    run.inputs(native_input(0))
    run.results(row(0))
    run.put("skipped.json", {"sum-7": "task.toml does not parse"})
    assert summary_of(run)["skipped"] == {"sum-7": "task.toml does not parse"}
    assert summary_of(run, skipped={"sum-8": "no tests/"})["skipped"] == {"sum-8": "no tests/"}
    told = run.put("told.json", {"sum-9": "no Dockerfile"})
    document = summarized(run, "--skipped", told)
    assert document["skipped"] == {"sum-9": "no Dockerfile"}
    assert outcomes(document) == {"0/0": "scored"}


def test_told_rows_name_every_task_and_repeat(run: Run) -> None:
    run.inputs(native_input(0))
    run.results(row(0), row(5))
    document = summary_of(run, expected=[native_input(0), native_input(0, 1), native_input(1)])
    assert outcomes(document) == {"0/0": "scored", "0/1": "missing", "1/0": "missing"}
    assert document["run"]["selected_from"] == "expected"
    assert findings(document)["unexpected-row"] == 1
    file = run.put("schedule.jsonl", lines([native_input(0), native_input(2)]))
    assert outcomes(summarized(run, "--expected", file)) == {"0/0": "scored", "2/0": "missing"}


def test_a_resumed_run_owes_its_saved_inputs(run: Run) -> None:
    run.inputs(native_input(0), native_input(0, 1))
    run.results(row(0), row(0, 1))
    run.put("run_config.yaml", "num_repeats: 5\n")
    run.put("tasks.jsonl", lines([native_input(n) for n in range(9)]))
    document = summarized(run, "--resumed")
    assert outcomes(document) == {"0/0": "scored", "0/1": "scored"}
    assert document["run"]["selected_from"] == "materialized_inputs"
    assert document["run"]["resumed"] is True


def test_without_inputs_the_rows_and_failures_are_the_selected_set(run: Run) -> None:
    run.results(row(1), row(0))
    run.failures(failure(2))
    document = summary_of(run)
    assert outcomes(document) == {"0/0": "scored", "1/0": "scored", "2/0": "failed"}
    assert document["run"]["selected_from"] == "rows"


@pytest.mark.parametrize("split", ["validation", "train", "benchmark"])
def test_the_split_names_the_collated_input(run: Run, split: str) -> None:
    run.scored(1.0)
    for name in ("validation", "train", "benchmark"):
        run.put(f"rollouts/preprocessed_datasets/{name}.jsonl", "{}\n")
    path = f"rollouts/preprocessed_datasets/{split}.jsonl"
    document = summary_of(run, split=split)
    assert (document["files"]["collated_input"], document["run"]["split"]) == (path, split)
    assert summarized(run, "--split", split)["files"]["collated_input"] == path
    default = "rollouts/preprocessed_datasets/validation.jsonl"
    assert summary_of(run)["files"]["collated_input"] == default


def test_success_beats_an_earlier_failure_of_the_same_key(run: Run) -> None:
    run.inputs(native_input(0))
    run.failures(failure(0))
    run.results(row(0, _ng_attempt_index=1))
    document = summary_of(run)
    assert (outcomes(document), entry(document)["failure"]) == ({"0/0": "scored"}, None)


def test_told_values_that_cannot_be_read_stop_the_command(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.scored(1.0)
    broken = run.put("told.json", json.dumps(3))
    assert command("summarize", run.rollouts, "--unvalidated", broken) == 3
    assert "expected an object of task id to reason" in capsys.readouterr().err
    assert not run.summary.exists()
    with pytest.raises(InputError):
        summary_of(run, before_dispatch={"kind": "something"})


def test_rows_of_a_plain_dataset_are_joined_by_index_and_agent(run: Run) -> None:
    other = {"agent_ref": {"name": "second"}}
    run.inputs(flat_input(0), flat_input(0) | other, flat_input(1))
    run.results(flat_row(0, reward=1.0), flat_row(0, reward=0.0) | other)
    entries = [(e["agent"], e["task_index"], e["outcome"], e["reward"]) for e in summary_of(run)["tasks"]]
    assert entries == [("solver", 0, "scored", 1.0), ("second", 0, "scored", 0.0), ("solver", 1, "missing", None)]
