"""Behaviours about what an earlier run left: signatures before dispatch, stale files, prepared files, shards."""

import itertools
import os
from pathlib import Path

import pytest

import runaudit
from tests.builders import Run, failure, lines, native_input, row
from tests.stories.summaries import (
    Document,
    command,
    entry,
    findings,
    outcomes,
    rewards,
    stale,
    stored,
    summarized,
    summary_of,
)

SIGNED = {
    "rollouts": "rollouts.jsonl",
    "failures": "rollouts_failures.jsonl",
    "materialized_inputs": "rollouts_materialized_inputs.jsonl",
    "aggregate_metrics": "rollouts_aggregate_metrics.json",
    "sources": "rollouts_sources.json",
    "quality_summary": "quality_summary.json",
    "rollout_verdicts": "rollout_verdicts.jsonl",
}


def left_by_an_earlier_run(run: Run) -> None:
    """Every output of a complete earlier run of two tasks."""
    run.scored(1.0, 0.0)
    run.failures(failure(1))
    run.aggregate(rewards=(1.0, 0.0))
    run.put("shard0.jsonl", lines([row(0)]))
    run.put("rollouts_sources.json", ["shard0.jsonl"])
    run.health("shard0.jsonl")


def test_signatures_record_every_output_name_and_null_for_no_file(run: Run) -> None:
    assert runaudit.output_signatures(run.rollouts)["files"] == dict.fromkeys(SIGNED)
    run.scored(1.0)
    signed = runaudit.output_signatures(run.rollouts)["files"]
    assert {key: one and one["path"] for key, one in signed.items()} == {
        key: name if key in ("rollouts", "failures", "materialized_inputs") else None for key, name in SIGNED.items()
    }
    status = run.rollouts.stat()
    one = signed["rollouts"]
    assert (one["size"], one["mtime_ns"]) == (status.st_size, status.st_mtime_ns)
    assert one["digest"].startswith("xxh3:")


def test_the_command_writes_the_signatures_that_the_library_takes(run: Run) -> None:
    run.scored(1.0)
    assert command("signatures", run.rollouts) == 0
    assert stored(run.folder / "rollouts_output_signatures.json") == runaudit.output_signatures(run.rollouts)
    assert command("signatures", run.rollouts, "-o", run.folder / "elsewhere.json") == 0
    assert stored(run.folder / "elsewhere.json")["kind"] == "output_signatures"


def test_an_output_unchanged_since_dispatch_is_stale_and_not_read(run: Run) -> None:
    left_by_an_earlier_run(run)
    before = runaudit.output_signatures(run.rollouts)
    document = summary_of(run, before_dispatch=before)
    assert stale(document) == set(SIGNED.values())
    assert {document["files"][key] for key in SIGNED} == {None}
    assert document["tasks"] == []
    assert findings(document)["stale-file"] == len(SIGNED)


@pytest.mark.parametrize("rewritten", list(itertools.product((False, True), repeat=3)))
def test_each_signed_file_is_judged_alone(run: Run, rewritten: tuple[bool, ...]) -> None:
    left_by_an_earlier_run(run)
    before = runaudit.output_signatures(run.rollouts)
    new = dict(zip(("rollouts", "failures", "materialized_inputs"), rewritten, strict=True))
    if new["rollouts"]:
        run.results(row(0, reward=0.25), at=100)
    if new["failures"]:
        run.failures(failure(2), at=100)
    if new["materialized_inputs"]:
        run.inputs(*(native_input(n) for n in range(4)), at=100)
    document = summary_of(run, before_dispatch=before)
    assert stale(document) == {SIGNED[key] for key in SIGNED if not new.get(key, False)}
    expected = dict.fromkeys(("0/0", "1/0", "2/0", "3/0"), "missing") if new["materialized_inputs"] else {}
    expected |= {"2/0": "failed"} if new["failures"] else {}
    expected |= {"0/0": "scored"} if new["rollouts"] else {}
    assert outcomes(document) == expected
    assert [r for r in rewards(document).values() if r is not None] == ([0.25] if new["rollouts"] else [])


def test_tasks_of_a_run_that_died_early_are_missing_and_not_the_old_scores(run: Run) -> None:
    left_by_an_earlier_run(run)
    assert command("signatures", run.rollouts) == 0
    schedule = run.put("schedule.jsonl", lines([native_input(0), native_input(1)]))
    document = summarized(run, "--expected", schedule)
    assert outcomes(document) == {"0/0": "missing", "1/0": "missing"}
    assert (document["counts"]["scored"], document["counts"]["mean_reward"]["value"]) == (0, None)


def test_a_stale_failures_sidecar_beside_fresh_rollouts_is_not_read(run: Run) -> None:
    left_by_an_earlier_run(run)
    before = runaudit.output_signatures(run.rollouts)
    run.inputs(native_input(0), native_input(1), at=100)
    run.results(row(0), at=101)
    document = summary_of(run, before_dispatch=before)
    assert "rollouts_failures.jsonl" in stale(document)
    assert outcomes(document) == {"0/0": "scored", "1/0": "missing"}


def test_stale_inputs_never_become_the_expected_rows(run: Run) -> None:
    run.inputs(*(native_input(n) for n in range(50)))
    before = runaudit.output_signatures(run.rollouts)
    run.results(row(0), at=100)
    document = summary_of(run, before_dispatch=before)
    assert (outcomes(document), document["run"]["selected_from"]) == ({"0/0": "scored"}, "rows")


def test_a_resumed_run_reads_what_is_on_disk(run: Run) -> None:
    left_by_an_earlier_run(run)
    assert command("signatures", run.rollouts) == 0
    assert outcomes(summary_of(run)) == {"0/0": "scored", "1/0": "scored"}
    for options in (("--resumed",), ("--signatures", "none")):
        document = summarized(run, *options)
        assert (stale(document), outcomes(document)) == (set(), {"0/0": "scored", "1/0": "scored"})


def test_identical_bytes_that_were_written_anew_are_this_runs(run: Run) -> None:
    run.scored(1.0)
    before = runaudit.output_signatures(run.rollouts)
    run.scored(1.0)
    assert stale(summary_of(run, before_dispatch=before)) == {
        SIGNED[key] for key in ("rollouts", "failures", "materialized_inputs")
    }
    for path in run.folder.iterdir():
        run.date(path, 500)
    assert stale(summary_of(run, before_dispatch=before)) == set()


def test_a_change_behind_an_equal_size_and_time_is_seen_by_the_hash(run: Run) -> None:
    run.scored(1.0)
    before = runaudit.output_signatures(run.rollouts)
    run.results(row(0, reward=2.0))
    document = summary_of(run, before_dispatch=before)
    assert "rollouts.jsonl" not in stale(document)
    assert rewards(document) == {"0/0": 2.0}


def test_prepared_metrics_are_never_judged_by_age_or_signature(run: Run) -> None:
    run.put("tasks.jsonl", "{}\n", at=-1e6)
    run.put("tasks_metrics.json", {"name": "sums"}, at=-1e6)
    run.put("rollouts/preprocessed_datasets/validation_metrics.json", {"name": "sums"}, at=-1e6)
    before = runaudit.output_signatures(run.rollouts)
    run.scored(1.0)
    document = summary_of(run, before_dispatch=before)
    assert document["files"]["rows_metrics"] == "tasks_metrics.json"
    assert document["files"]["collated_metrics"] == "rollouts/preprocessed_datasets/validation_metrics.json"
    assert stale(document) == set()


@pytest.mark.parametrize(
    "name", ["tasks_metrics_conflict.json", "rollouts/preprocessed_datasets/validation_metrics_conflict.json"]
)
def test_a_conflict_file_marks_a_refused_preparation(run: Run, name: str) -> None:
    run.scored(1.0)
    run.put(name, {})
    assert findings(summary_of(run), "warning") == {"metrics-conflict-file": 1}


def test_a_run_that_reuses_its_input_has_no_rows_metrics_but_keeps_the_collated_ones(run: Run) -> None:
    run.scored(1.0)
    run.put("tasks.jsonl", "{}\n")
    collated = "rollouts/preprocessed_datasets/validation_metrics.json"
    run.put(collated, {"name": "sums", "jsonl_fpath": "/data/tasks.jsonl"}, at=-1e6)
    document = summary_of(run)
    assert document["files"]["rows"] == "tasks.jsonl"
    assert (document["files"]["rows_metrics"], document["files"]["collated_metrics"]) == (None, collated)
    assert (document["missing_paths"], document["findings"]) == ([], [])


def test_signatures_of_another_run_are_refused(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("signatures", run.rollouts) == 0
    run.scored(1.0)
    first = summarized(run)
    assert summarized(run) == first
    run.results(row(0, reward=0.0), at=100)
    assert command("summarize", run.rollouts) == 3
    assert "take new ones before each run" in capsys.readouterr().err
    assert stored(run.summary) == first


def test_a_log_folder_from_before_dispatch_is_a_finding(run: Run) -> None:
    old = run.logs("old", {"reward.txt": "1.0"})
    before = runaudit.output_signatures(run.rollouts)
    new = run.logs("new", {"reward.txt": "1.0"})
    run.inputs(native_input(0), native_input(1))
    run.results(row(0, verifier_logs_dir=old), row(1, verifier_logs_dir=new))
    document = summary_of(run, before_dispatch=before)
    assert findings(document, "warning") == {"stale-log-folder": 1}


def shard(run: Run, number: int, *, reward: float = 1.0, owed: int = 2) -> Path:
    """A shard whose tasks are numbered through the whole run, one result of them."""
    part = Run(run.folder, f"part{number}")
    tasks = range(number * owed, number * owed + owed)
    part.inputs(*(native_input(task) for task in tasks))
    return part.results(row(tasks[0], reward=reward))


def merge(run: Run, sources: Document | list[Document] | list[str]) -> None:
    """The merged file of parts 0 and 1, and the list of its shards."""
    run.results(row(0), row(2), at=20)
    run.put("rollouts_sources.json", sources, at=20)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, by the system's own library."""
    import hashlib  # noqa: PLC0415  # only here

    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_merged_run_owes_the_union_of_its_shards_inventories(run: Run) -> None:
    paths = [shard(run, number) for number in range(2)]
    Run(run.folder, "part1").failures(failure(3))
    merge(run, [{"path": p.name, "size": p.stat().st_size, "sha256": sha256(p)} for p in paths])
    document = summarized(run)
    assert outcomes(document) == {"0/0": "scored", "1/0": "missing", "2/0": "scored", "3/0": "failed"}
    assert document["run"]["selected_from"] == "shards"
    assert document["files"]["shards"] == ["part0.jsonl", "part1.jsonl"]
    assert document["files"]["shard_failures"] == ["part1_failures.jsonl"]
    assert document["files"]["shard_inputs"] == ["part0_materialized_inputs.jsonl", "part1_materialized_inputs.jsonl"]
    assert findings(document, "error") == {}


@pytest.mark.parametrize("broken", ["size", "sha256"])
def test_size_and_sha256_that_the_sources_state_are_checked(run: Run, broken: str) -> None:
    entries = [
        {"path": p.name, "size": p.stat().st_size, "sha256": sha256(p)} for p in (shard(run, n) for n in range(2))
    ]
    entries[1][broken] = 1 if broken == "size" else "0" * 64
    merge(run, entries)
    assert findings(summary_of(run), "error") == {"shard-changed": 1}


def test_a_listed_shard_that_is_gone_is_missing(run: Run) -> None:
    shard(run, 0)
    merge(run, ["part0.jsonl", "part1.jsonl"])
    document = summary_of(run)
    assert findings(document, "error") == {"shard-missing": 1}
    assert [(gone["path"], gone["field"]) for gone in document["missing_paths"]] == [("part1.jsonl", "sources")]


def test_without_a_list_of_sources_there_are_no_shards(run: Run) -> None:
    shard(run, 0)
    shard(run, 1)
    run.results(row(0), row(2), at=20)
    document = summary_of(run)
    assert (document["files"]["shards"], outcomes(document)) == ([], {"0/0": "scored", "2/0": "scored"})


def test_stale_folders_and_files_do_not_outlive_a_link_to_them(run: Run) -> None:
    run.scored(1.0)
    before = runaudit.output_signatures(run.rollouts)
    kept = run.folder / "kept"
    run.rollouts.rename(kept)
    os.symlink("kept", run.rollouts)
    assert "rollouts.jsonl" in stale(summary_of(run, before_dispatch=before))
    assert entry(summary_of(run))["outcome"] == "scored"
