"""Sound job folders, doctored one thing at a time: what must be found is found, with both values; nothing else is.

Every story starts from the same job: two tasks, two attempts each, one task passed and one failed.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaudit.usecases.summarize import Options, build
from tests.job_builders.harbor_job import JSON, HarborJob, edit
from tests.stories.summaries import command

PASSED, FAILED = "greet__AAAAAAA", "sum__CCCCCCC"
GROUP = "oracle__own-set"
NIL = "00000000-0000-0000-0000-000000000000"
Doctor = Callable[[Path], None]


def four_trials(folder: Path, version: str = "0.25.0") -> Path:
    """The sound job."""
    job = HarborJob(folder, version=version)
    more: JSON = {"reward_valid": True} if version >= "0.26" else {}
    for task, tail, reward in (("greet", "AAAAAAA", 1), ("greet", "BBBBBBB", 1), ("sum", "CCCCCCC", 0)):
        job.trial(task, tail, {"reward": reward}, **more)
    job.trial("sum", "DDDDDDD", {"reward": 0}, **more)
    return job.finish(job.group(0.5, pass_at_k={"2": 0.5}), config={"n_attempts": 2}).folder


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return four_trials(tmp_path / "job")


def change(path: Path, keys: str, value: Any) -> None:
    """Sets the value at a dotted place of a JSON document; `...` removes it."""
    document = place = json.loads(path.read_text())
    *above, last = keys.split(".")
    for key in above:
        place = place[int(key) if isinstance(place, list) else key]
    if value is ...:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    path.write_text(json.dumps(document))


def at(path: str, keys: str, value: Any) -> Doctor:
    return lambda job: change(job / path, keys, value)


def said(job: Path, level: str | None = None) -> dict[str, list[JSON]]:
    """The places of every finding by id."""
    return {
        group.id: [
            {"expected": p.expected, "found": p.found, "message": p.message, "path": p.path} for p in group.places
        ]
        for group in build(str(job), Options()).summary.findings
        if level in (None, group.level)
    }


def both(places: list[JSON]) -> set[tuple[str | None, str | None]]:
    return {(place["expected"], place["found"]) for place in places}


def stats(keys: str, value: Any) -> Doctor:
    return at("result.json", f"stats.{keys}", value)


@pytest.mark.parametrize("version", ["0.25.0", "0.26.0"])
def test_the_sound_job_says_nothing(tmp_path: Path, version: str) -> None:
    assert said(four_trials(tmp_path / "job", version)) == {}


@pytest.mark.parametrize(
    ("doctor", "finding", "values"),
    [
        (stats(f"evals.{GROUP}.reward_stats", {}), "counts-differ", ("in both", "not in the result")),
        (stats(f"evals.{GROUP}.reward_stats.reward", {"1": [PASSED, "greet__BBBBBBB", FAILED],
         "0": [FAILED, "sum__DDDDDDD"]}), "counts-differ", ("1", "2")),
        (stats(f"evals.{GROUP}.reward_stats.reward", {"1": [PASSED, "greet__BBBBBBB", FAILED],
         "0": ["sum__DDDDDDD"]}), "reward-mismatch", ("0", "1.0")),
        (stats(f"evals.{GROUP}.exception_stats", {"OddError": [FAILED]}), "counts-differ",
         ("in both", "here, with no exception")),
        (stats(f"evals.{GROUP}.metrics", [{"mean": 0.5}, {"mean": 0.9}]), "headline-differs",
         ("mean 0.5, pass@2 0.5", "mean 0.9, pass@2 0.5")),
        (stats(f"evals.{GROUP}.metrics", [{"max": 1}, {"mean": 0.9}]), "headline-differs",
         ("mean 0.5, pass@2 0.5", "mean 0.9, pass@2 0.5")),
        (stats(f"evals.{GROUP}.pass_at_k", {"2": 1.0}), "headline-differs",
         ("mean 0.5, pass@2 0.5", "mean 0.5, pass@2 1")),
        (stats("n_running_trials", 1), "counts-differ", ("0", "1")),
        (stats("n_pending_trials", 2), "counts-differ", ("0", "2")),
        (stats("n_cancelled_trials", 3), "counts-differ", ("0", "3")),
        (at("result.json", "n_total_trials", 8), "counts-differ", ("4", "8")),
        (at("config.json", "n_attempts", 5), "counts-differ", ("5", "2")),
    ],
)  # fmt: skip
def test_an_edited_number_of_the_job_is_an_error(
    job: Path, doctor: Doctor, finding: str, values: tuple[str, str]
) -> None:
    doctor(job)
    assert values in both(said(job, "error")[finding])
    assert command("verify", job) == 1


def test_a_lock_that_plans_one_attempt_of_another_task_is_an_error(job: Path) -> None:
    lock = json.loads((job / "lock.json").read_text())
    ran, other = lock["trials"][2]["task"]["digest"], "sha256:" + "0" * 64
    lock["trials"][2]["task"]["digest"] = other
    (job / "lock.json").write_text(json.dumps(lock))
    assert both(said(job, "error")["lock-differs"]) == {(other, ran)}


def test_a_reward_that_became_an_exception_is_evidence(tmp_path: Path) -> None:
    """Left out of a mean from 0.26 on, the failure would raise it; the verifier's file still says what it was."""
    job = four_trials(tmp_path / "job", "0.26.0")
    error = {"exception_type": "AgentSetupError", "exception_message": "it failed"}
    edit(job / FAILED / "result.json", verifier_result=None, exception_info=error, reward_valid=False)
    place = said(job, "warning")["reward-mismatch"][0]
    assert (place["expected"], place["found"]) == ("0", "no reward")
    assert "beside AgentSetupError" in place["message"]


def test_a_missing_headline_is_evidence_only(job: Path) -> None:
    change(job / "result.json", f"stats.evals.{GROUP}.metrics", [])
    assert both(said(job, "warning")["headline-differs"]) == {("mean 0.5, pass@2 0.5", "pass@2 0.5")}
    assert command("verify", job) == 0


@pytest.mark.parametrize("kind", ["max", "min", "sum", "uv-script"])
def test_a_metric_that_is_no_mean_is_not_told(job: Path, kind: str) -> None:
    key = "mean" if kind == "uv-script" else kind
    edit(job / "config.json", metrics=[{"type": kind}])
    change(job / "result.json", f"stats.evals.{GROUP}.metrics", [{key: 0.9}])
    assert said(job) == {}


def test_an_old_job_of_several_attempts_need_not_state_pass_at_k(job: Path) -> None:
    for lock in job.rglob("lock.json"):
        lock.unlink()
    document = json.loads((job / "result.json").read_text())["stats"]["evals"]
    del document[GROUP]["pass_at_k"]
    edit(job / "result.json", stats={"n_trials": 4, "n_errors": 0, "evals": document})
    edit(job / "config.json", orchestrator={"type": "local"})
    assert said(job, "error") == {}


def test_a_submission_that_lacks_an_attempt_says_so(job: Path) -> None:
    for path in [*job.rglob("lock.json"), job / "result.json", job / "job.log"]:
        path.unlink()
    shutil.rmtree(job / FAILED)
    assert both(said(job, "warning")["counts-differ"]) == {("2", "1")}
    assert said(job, "error") == {}


@pytest.mark.parametrize("name", [NIL, "run-1"])
def test_one_invented_id_for_all_makes_no_copies(job: Path, name: str) -> None:
    """Another writer's constant, with no configuration: four results of two tasks."""
    for path in [*job.rglob("lock.json"), *job.rglob("config.json"), job / "result.json", job / "job.log"]:
        path.unlink()
    for result in job.glob("*/result.json"):
        edit(result, id=name, task_id=None, config=None, task_checksum=f"made-up-{result.parent.name[:3]}")
    assert set(said(job)) == {"evidence-not-kept", "not-written-by-harbor"}
    assert build(str(job), Options()).summary.counts.scored == 4


def test_a_copy_under_a_new_name_is_still_a_copy(job: Path) -> None:
    shutil.copytree(job / PASSED, job / "greet__EEEEEEE")
    edit(job / "greet__EEEEEEE" / "result.json", trial_name="greet__EEEEEEE")
    assert "duplicate-trial" in said(job, "error")


def test_a_job_that_was_copied_into_a_job_is_no_trial(job: Path, tmp_path: Path) -> None:
    shutil.copytree(job, tmp_path / "copy")
    (tmp_path / "copy").rename(job / "backup")
    assert said(job) == {}


def test_a_renamed_trial_was_not_recorded_elsewhere(job: Path) -> None:
    edit(job / FAILED / "result.json", trial_name="sum__ZZZZZZZ")
    assert "mixed-roots" not in said(job)


def test_a_headline_of_the_other_rule_is_said_with_all_its_numbers(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job", version="0.26.0")
    for tail in ("AAAAAAA", "BBBBBBB"):
        job.trial("greet", tail, {"reward": 1}, reward_valid=True)
    for tail in ("CCCCCCC", "DDDDDDD"):
        job.trial("sum", tail, None, error="VerifierTimeoutError", reward_valid=False)
    job.finish(job.group(0.5, pass_at_k={"2": 0.5}), config={"n_attempts": 2})
    places = said(job.folder)["headline-other-rule"]
    assert both(places) == {("mean 1, pass@2 1", "mean 0.5, pass@2 0.5")}
    assert "follow from the rule that counts" in places[0]["message"]


def test_a_running_job_is_so_far(job: Path) -> None:
    edit(job / "result.json", finished_at=None)
    change(job / "result.json", f"stats.evals.{GROUP}.metrics", [{"mean": 0.9}])
    (job / FAILED / "result.json").unlink()
    found = said(job)
    assert set(found) == {"job-unfinished", "trial-unfinished", "tasks-missing"}
    assert "so far" in found["job-unfinished"][0]["message"]


@pytest.mark.parametrize("name", ["result.json", "lock.json", "config.json", f"{FAILED}/result.json"])
@pytest.mark.parametrize("kind", ["cut", "link out", "link in", "pipe", "folder", "gone"])
def test_no_document_of_any_kind_stops_the_audit(job: Path, name: str, kind: str) -> None:
    path = job / name
    data = path.read_bytes()
    path.unlink()
    if kind == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind.startswith("link"):
        path.symlink_to("/etc/hostname" if kind == "link out" else job / PASSED / "result.json")
    assert command("summarize", job) == 0
    assert command("show", job / "run_summary.json") == 0
    assert command("verify", job) in (0, 1)


def whole_config(job: Path) -> Path:
    """The job with what Harbor writes of a trial's settings in its result, and its model."""
    agent = {"name": "oracle", "import_path": None, "model_name": None, "override_timeout_sec": None}
    for result in job.glob("*/result.json"):
        config = json.loads(result.read_text())["config"] | {
            "trial_name": result.parent.name,
            "job_id": json.loads((job / "result.json").read_text())["id"],
            "timeout_multiplier": 1.0,
            "agent": agent,
            "environment": {"override_cpus": None},
            "verifier": {"disable": False, "import_path": None},
        }
        edit(result, config=config)
    return job


@pytest.mark.parametrize(
    ("document", "keys", "value", "values"),
    [
        ("result.json", "config.timeout_multiplier", 3.0, ("1.0", "3.0")),
        ("result.json", "config.verifier.import_path", "own:Grader", ("the default", "own:Grader")),
        ("result.json", "config.task.path", "tasks/own-set/greet", ("tasks/own-set/sum", "tasks/own-set/greet")),
        ("result.json", "config.trial_name", PASSED, (FAILED, PASSED)),
        ("config.json", "agent", {"override_timeout_sec": 900}, ("900", "the default")),
        ("config.json", "timeout_multiplier", 3.0, ("3.0", "1.0")),
        ("lock.json", "timeout_multiplier", 3.0, ("3.0", "1.0")),
        ("lock.json", "verifier.disable", True, ("True", "the default")),
        ("../config.json", "timeout_multiplier", 3.0, ("3.0", "1.0")),
        ("../config.json", "environment", {"override_cpus": 16}, ("16", "the default")),
        ("../config.json", "agents", [{"name": "oracle", "model_name": "p/best"}], ("oracle", "oracle with p/best")),
    ],
)
def test_settings_that_two_documents_state_differently(
    job: Path, document: str, keys: str, value: Any, values: tuple[str, str]
) -> None:
    whole_config(job)
    assert said(job) == {}
    change(job / FAILED / document, keys, value)
    assert values in both(said(job, "error")["settings-differ"])


def test_a_model_that_was_not_asked_for_is_evidence(job: Path) -> None:
    whole_config(job)
    change(job / FAILED / "result.json", "config.agent.model_name", "maker/small")
    change(job / FAILED / "result.json", "agent_info.model_info", {"name": "small", "provider": "maker"})
    assert "settings-differ" not in said(job, "warning")
    change(job / FAILED / "result.json", "agent_info.model_info.name", "large")
    assert both(said(job, "warning")["settings-differ"]) == {("maker/small", "large")}


def test_a_trial_of_another_job_is_evidence(job: Path) -> None:
    whole_config(job)
    other = "99999999-0000-4000-8000-000000000000"
    change(job / FAILED / "result.json", "config.job_id", other)
    change(job / FAILED / "config.json", "job_id", other)
    place = said(job)["trial-of-other-job"][0]
    assert place["found"] == other
    assert "consistent with" in place["message"]


def test_an_invalid_reward_must_have_a_reason(tmp_path: Path) -> None:
    job = four_trials(tmp_path / "job", "0.26.0")
    edit(job / FAILED / "result.json", reward_valid=False)
    assert ("True", "False") in both(said(job, "error")["settings-differ"])


def test_an_exception_s_text_without_the_exception(job: Path) -> None:
    (job / FAILED / "exception.txt").write_text("AgentTimeoutError\n")
    assert both(said(job, "error")["settings-differ"]) == {("an exception", "none")}


@pytest.mark.parametrize("name", ["second", "../../second"])
def test_a_step_that_the_result_lost(tmp_path: Path, name: str) -> None:
    job = HarborJob(tmp_path / "job")
    files = {"steps/first/verifier/reward.txt": "1\n", "steps/second/verifier/reward.txt": "0\n"}
    steps = [{"step_name": "first", "verifier_result": {"rewards": {"reward": 1.0}}}]
    rewards = 1.0
    if name != "second":
        steps.append({"step_name": name, "verifier_result": {"rewards": {"reward": 0.0}}})
        rewards = 0.5
    job.trial("pair", "AAAAAAA", {"reward": rewards}, files=files, step_results=steps)
    job.finish(job.group(rewards))
    assert [place["path"] for place in said(job.folder, "error")["reward-mismatch"]] == [
        "pair__AAAAAAA/steps/second/verifier/reward.txt"
    ]


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("lock.json", "the job's lock.json"),
        ("config.json", "the job's config.json"),
        ("job.log", "job.log"),
        (f"{FAILED}/lock.json", "lock.json of 1 trials"),
    ],
)
def test_a_document_that_is_gone_is_named(job: Path, gone: str, words: str) -> None:
    (job / gone).unlink()
    assert words in said(job, "note")["evidence-not-kept"][0]["message"]


def test_without_the_job_s_configuration_its_trials_tell_the_departures(job: Path) -> None:
    whole_config(job)
    (job / "config.json").unlink()
    for lock in job.rglob("lock.json"):
        lock.unlink()
    for trial in job.glob("*/result.json"):
        change(trial, "config.timeout_multiplier", 2.0)
        change(trial.parent / "config.json", "timeout_multiplier", 2.0)
    messages = [place["message"] for place in said(job)["departure-from-defaults"]]
    assert messages == ["timeout_multiplier is 2.0"]


def test_a_ledger_finds_the_edit_that_fits_everywhere(job: Path) -> None:
    assert command("summarize", job) == 0
    edit(job / FAILED / "result.json", verifier_result={"rewards": {"reward": 1}})
    (job / FAILED / "verifier" / "reward.json").write_text('{"reward": 1}')
    group = f"stats.evals.{GROUP}"
    change(job / "result.json", f"{group}.metrics", [{"mean": 0.75}])
    change(job / "result.json", f"{group}.pass_at_k", {"2": 1.0})
    change(job / "result.json", f"{group}.reward_stats", {"reward": {"1": [PASSED, "greet__BBBBBBB", FAILED],
                                                                    "0": ["sum__DDDDDDD"]}})  # fmt: skip
    assert said(job, "error").keys() == {"result-edited"}
    assert both(said(job)["result-edited"]) == {("0", "1")}
    assert command("verify", job) == 1


@pytest.mark.parametrize("cut", [0, 40])
def test_a_ledger_that_was_cut_shows_by_its_digest(job: Path, cut: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("summarize", job) == 0
    ledger = job / "runaudit_ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:cut])
    capsys.readouterr()
    assert command("verify", job, "--format", "json") == 1
    groups = json.loads(capsys.readouterr().out)["findings"]
    assert [place["path"] for group in groups if group["id"] == "file-changed" for place in group["places"]] == [
        "runaudit_ledger.jsonl"
    ]


@pytest.mark.parametrize("text", ["", "nan\n", "passed\n"])
def test_a_reward_that_its_file_cannot_have_given(job: Path, text: str) -> None:
    (job / PASSED / "verifier" / "reward.json").unlink()
    (job / PASSED / "verifier" / "reward.txt").write_text(text)
    assert both(said(job, "error")["reward-mismatch"]) == {("no reward", "1")}


def test_a_link_in_the_place_of_a_trial_is_not_followed(job: Path, tmp_path: Path) -> None:
    (job / FAILED).rename(tmp_path / "elsewhere")
    (job / FAILED).symlink_to(tmp_path / "elsewhere")
    found = said(job)
    assert [place["path"] for place in found["outside-root"]] == [FAILED]
    assert "tasks-missing" in found


def test_what_cannot_be_opened_is_said_once(job: Path) -> None:
    (job / FAILED / "result.json").unlink()
    os.mkfifo(job / FAILED / "result.json")
    assert len(said(job)["wrong-kind"]) == 1


def test_a_regraded_job_keeps_its_source_s_settings(job: Path) -> None:
    whole_config(job)
    edit(job / "config.json", source_jobs=[{"path": "jobs/first"}], timeout_multiplier=3.0)
    assert said(job, "error") == {}
