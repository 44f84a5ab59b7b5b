"""Behaviours of the document itself: where it is, what it lists, how its paths hold, how it is written."""

import os
import posixpath
import shutil
from pathlib import Path
from typing import Any

import pytest

import runaudit
from runaudit.errors import OutputError
from tests.builders import DIGEST, SOURCE, TRAJECTORY, Run, failure, native_input, row
from tests.stories.summaries import command, entry, findings, outcomes, stored, summarized, summary_of


@pytest.mark.parametrize(
    ("rollouts", "summary"),
    [
        ("rollouts.jsonl", "rollouts_run_summary.json"),
        ("run.v1.jsonl", "run.v1_run_summary.json"),
        ("run.v1", "run_run_summary.json"),
        ("plain", "plain_run_summary.json"),
        ("rollouts.jsonl.gz", "rollouts_run_summary.json"),
    ],
)
def test_one_document_lies_beside_the_rollouts(run: Run, rollouts: str, summary: str) -> None:
    path = run.folder / rollouts
    assert runaudit.run_summary_path_for(path) == str(run.folder / summary)
    runaudit.write_run_summary(path)
    assert [p.name for p in run.folder.iterdir()] == [summary]
    assert stored(run.folder / summary)["kind"] == "run_summary"


def test_every_file_of_the_run_is_listed_by_key(run: Run) -> None:
    run.scored(1.0)
    run.aggregate()
    run.health("rollouts.jsonl")
    run.put("tasks.jsonl", "{}\n")
    run.put("tasks_prepare.jsonl", "{}\n")
    run.put("tasks_metrics.json", {"name": "sums"})
    run.put("rollouts/preprocessed_datasets/validation.jsonl", "{}\n")
    run.put("rollouts/preprocessed_datasets/validation_metrics.json", {"name": "sums"})
    run.put("run_config.yaml", "environment_routing_mode: taskset\n")
    run.put("skipped.json", {"sum-9": "no Dockerfile"})
    expected: dict[str, Any] = {
        "rollouts": "rollouts.jsonl",
        "failures": "rollouts_failures.jsonl",
        "materialized_inputs": "rollouts_materialized_inputs.jsonl",
        "aggregate_metrics": "rollouts_aggregate_metrics.json",
        "sources": None,
        "quality_summary": "quality_summary.json",
        "rollout_verdicts": "rollout_verdicts.jsonl",
        "rows": "tasks.jsonl",
        "rows_prepare": "tasks_prepare.jsonl",
        "rows_metrics": "tasks_metrics.json",
        "collated_input": "rollouts/preprocessed_datasets/validation.jsonl",
        "collated_metrics": "rollouts/preprocessed_datasets/validation_metrics.json",
        "run_config": "run_config.yaml",
        "skipped": "skipped.json",
        "shards": [],
        "shard_failures": [],
        "shard_inputs": [],
    }
    document = summarized(run)
    assert {key: document["files"].get(key, "absent") for key in expected} == expected
    assert set(document["evidence"]) == {path for path in expected.values() if isinstance(path, str)}


def test_the_run_says_which_run_it_was(run: Run) -> None:
    run.scored(1.0)
    run.put("tasks_metrics.json", {"name": "sums", "huggingface_identifier": "example/sums"})
    config = f"sums_resources_server:\n  resources_servers:\n    harbor:\n      dataset_digest: {DIGEST}\n"
    run.put("run_config.yaml", config)
    identity = summary_of(run, identity=runaudit.Identity(target="sums@validation", agent="solver"))["run"]
    assert identity["target"] == "sums@validation"
    assert identity["taskset"] == "sums"
    assert identity["agents"] == ["solver"]
    assert identity["models"] == ["small-model"]
    dataset = {"name": "sums", "source": "example/sums", "digests": {"dataset_digest": DIGEST}}
    assert identity["dataset"] == dataset
    told = ("--target", "other", "--taskset", "more", "--agent", "me", "--dataset", "mine")
    named = summarized(run, *told)["run"]
    assert (named["target"], named["taskset"], named["agents"]) == ("other", "more", ["me"])
    assert named["dataset"] == dataset | {"name": "mine"}


def test_task_source_is_the_label_of_the_inputs(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    identity = summary_of(run)["run"]
    assert identity["task_source"] == SOURCE
    assert identity["rows_task_source"] is None
    run.inputs(native_input(0), native_input(1, task_source="another"))
    assert summary_of(run)["run"]["task_source"] is None


def test_rows_task_source_is_the_label_that_results_and_failures_agree_on(run: Run) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(row(0))
    run.failures(failure(1))
    assert summary_of(run)["run"]["rows_task_source"] == SOURCE
    run.failures(failure(1, task_source="another"))
    assert summary_of(run)["run"]["rows_task_source"] is None
    run.results(row(0, task_source="another"))
    document = summary_of(run)
    assert document["run"]["rows_task_source"] == "another"
    assert findings(document, "error") == {"task-source-mismatch": 2}


@pytest.mark.parametrize("which", ["results", "failures"])
def test_a_foreign_label_in_either_file_is_an_error(run: Run, which: str) -> None:
    run.inputs(native_input(0), native_input(1))
    run.results(row(0, task_source="another" if which == "results" else SOURCE))
    run.failures(failure(1, task_source="another" if which == "failures" else SOURCE))
    document = summary_of(run)
    assert "task-source-mismatch" in findings(document, "error")


def test_every_path_is_relative_to_the_summarys_folder(run: Run) -> None:
    logs = run.logs("v0", {"reward.txt": "1.0", "test-stdout.txt": "ok"})
    outside = Run(run.folder.parent / "elsewhere").logs("v1", {"reward.txt": "1.0"})
    run.inputs(native_input(0), native_input(1))
    run.results(row(0, verifier_logs_dir=logs), row(1, verifier_logs_dir=outside))
    rows = Run(run.folder.parent / "prepared").put("tasks.jsonl", "{}\n")
    document = summarized(run, "--rows", rows)
    assert entry(document, 0)["verifier_logs"] == "verifier/v0"
    assert entry(document, 1)["verifier_logs"] == "../elsewhere/verifier/v1"
    assert document["files"]["rows"] == "../prepared/tasks.jsonl"
    assert str(run.folder.parent).encode() not in run.summary.read_bytes()


def _paths_in(document: dict[str, Any]) -> list[str]:
    keys = ("verifier_logs", "test_stdout", "reward_file", "trajectory", "artifacts")
    listed = [one[key] for one in document["tasks"] for key in keys]
    return [path for path in (*document["files"].values(), *listed) if isinstance(path, str)]


def test_a_results_folder_moved_as_a_whole_still_resolves(run: Run) -> None:
    names = {"reward.txt": "1.0", "test-stdout.txt": "ok", "trajectory.json": TRAJECTORY, "artifacts/out.txt": "x"}
    run.inputs(native_input(0))
    run.results(row(0, verifier_logs_dir=run.logs("v0", names)))
    paths = _paths_in(summarized(run))
    moved = run.folder.parent / "far" / "away"
    shutil.copytree(run.folder, moved)
    shutil.rmtree(run.folder)
    assert len(paths) == 7
    assert [path for path in paths if not (moved / path).exists()] == []


def test_the_written_document_is_the_one_that_is_built_and_returned(run: Run) -> None:
    run.scored(1.0, 0.0)
    built = summary_of(run)
    assert runaudit.write_run_summary(run.rollouts) == built
    assert stored(run.summary) == built


def test_the_document_is_replaced_atomically_and_its_folder_created(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run.scored(1.0)
    summarized(run)
    old = run.summary.read_bytes()
    run.results(row(0, reward=0.0))
    seen: list[bytes] = []
    rename = os.replace

    def watch(source: str, target: str) -> None:
        seen.append(run.summary.read_bytes())
        rename(source, target)

    monkeypatch.setattr(os, "replace", watch)
    summarized(run)
    assert seen == [old]
    assert run.summary.read_bytes() != old

    def refuse(_: str, __: str) -> None:
        raise OSError(28, "No space left on device")

    kept = run.summary.read_bytes()
    monkeypatch.setattr(os, "replace", refuse)
    run.results(row(0, reward=0.5))
    with pytest.raises(OutputError, match="No space left"):
        runaudit.write_run_summary(run.rollouts)
    assert run.summary.read_bytes() == kept
    assert [p.name for p in run.folder.iterdir() if p.name.endswith(".tmp")] == []
    monkeypatch.setattr(os, "replace", rename)
    absent = Run(run.folder / "not" / "made" / "yet")
    runaudit.write_run_summary(absent.rollouts)
    assert absent.summary.is_file()


def test_a_folder_reached_through_a_link_gives_the_same_document(run: Run) -> None:
    logs = run.logs("v0", {"reward.txt": "1.0"})
    run.inputs(native_input(0))
    run.results(row(0, verifier_logs_dir=logs))
    run.aggregate()
    run.health("rollouts.jsonl")
    link = run.folder.parent / "latest"
    link.symlink_to(run.folder)
    straight = summary_of(run)
    assert summary_of(Run(link)) == straight
    assert straight["files"]["quality_summary"] == "quality_summary.json"
    assert entry(straight)["verifier_logs"] == posixpath.join("verifier", "v0")
    run.results(row(0, verifier_logs_dir=str(link / "verifier" / "v0")))
    assert entry(summary_of(run))["verifier_logs"] == "verifier/v0"


def test_the_summary_is_written_whatever_the_run_did(run: Run) -> None:
    document = runaudit.write_run_summary(run.rollouts, [native_input(0), native_input(1)])
    assert document["files"]["rollouts"] is None
    assert outcomes(document) == {"0/0": "missing", "1/0": "missing"}
    assert findings(document)["tasks-missing"] == 2
    assert stored(run.summary) == document
    untold = runaudit.write_run_summary(run.folder / "other.jsonl")
    assert (untold["files"]["rollouts"], untold["tasks"]) == (None, [])


def test_nothing_is_raised_for_what_the_run_left_behind(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("rollouts.jsonl", "rollouts_failures.jsonl", "rollouts_materialized_inputs.jsonl"):
        run.put(name, b'{"_ng_task_index": 0, "reward": \x00\xff')
    for name in ("rollouts_aggregate_metrics.json", "quality_summary.json", "rollouts_sources.json", "skipped.json"):
        run.put(name, b"\x00", at=60)
    run.put("run_config.yaml", "a: [")
    document = runaudit.write_run_summary(run.rollouts)
    assert document["counts"]["scored"] == 0
    assert command("summarize", run.rollouts) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_a_summary_that_cannot_be_written_is_told_and_ends_with_3(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.scored(1.0)
    run.summary.mkdir()
    assert command("summarize", run.rollouts) == 3
    assert "rollouts_run_summary.json" in capsys.readouterr().err


def test_unknown_identity_is_null_and_never_invented(tmp_path: Path) -> None:
    identity = summary_of(tmp_path / "rollouts.jsonl")["run"]
    known = {key: value for key, value in identity.items() if value not in (None, [])}
    assert known == {"split": "validation", "selected_from": "rows"}
