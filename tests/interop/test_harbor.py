"""The real `harbor`, 0.25.0 and the newest: what it leaves is summarised, verified, moved, tampered with and resumed.

Without containers: an environment class of our own stands in for them. Tasks, agents and faults are our own.
"""

import json
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaudit.layouts.harbor.ledger import parse_ledger
from runaudit.layouts.harbor.reading import read_run
from runaudit.layouts.harbor.scoring import groups_of
from runaudit.model.request import Request
from runaudit.read.places import Places
from runaudit.usecases.summarize import Options, build
from tests.interop.harbor_jobs import RELEASES, Jobs, wait_for
from tests.oracle.count_harbor import count

pytestmark = pytest.mark.interop
SCRIPTED = {"import_path": "scripted_agents:Scripted", "model_name": "own/model-1"}
FLAKY = {"import_path": "scripted_agents:Flaky", "model_name": "own/model-1"}
EVERY = ("greet", "sum", "stall", "mute", "pair")
PLUGIN = ("--plugin", "runaudit")


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release or "newest")
def jobs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    release: str = request.param
    return Jobs(release, tmp_path_factory.mktemp("harbor"))


@pytest.fixture(scope="module")
def whole(jobs: Jobs) -> Path:
    """A job with every outcome, by two agents, twice, with the plugin."""
    job = jobs.configure("whole", EVERY, agents=[{"name": "oracle"}, {"name": "nop"}])
    assert jobs.run("whole", *PLUGIN).returncode == 0
    return job


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """The same job, moved: nothing of what it records is where it was."""
    return Path(shutil.copytree(whole, tmp_path / "moved"))


def findings(job: Path, **asked: Any) -> dict[str, list[Any]]:
    """The findings of a job by id, with their places."""
    summary = build(str(job), Options(request=Request(**asked))).summary
    return {group.id: list(group.places) for group in summary.findings if group.level != "note"}


def notes(job: Path) -> dict[str, list[Any]]:
    """The notes of a job by id, with their places."""
    summary = build(str(job), Options()).summary
    return {group.id: list(group.places) for group in summary.findings if group.level == "note"}


def verified(job: Path, run: Callable[..., tuple[int, str]]) -> int:
    return run("verify", str(job))[0]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """The command line in this process: its exit code and what it said."""
    from runaudit.cli.exits import guarded  # noqa: PLC0415  # nothing else here needs the command line

    def call(*arguments: str) -> tuple[int, str]:
        code = guarded(list(arguments))
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def test_outcomes_and_rewards_are_those_of_a_second_opinion(whole: Path) -> None:
    summary = build(str(whole), Options()).summary
    counted = count(whole)
    assert (
        Counter(entry.outcome for entry in summary.account.entries)
        == counted["outcomes"]
        == {"scored": 16, "failed": 4}
    )
    assert {entry.trial_name: entry.reward for entry in summary.account.entries} == counted["rewards"]
    assert summary.counts.mean_reward.value == pytest.approx(counted["mean_reward"])
    assert "tasks-failed" in findings(whole)
    assert not [group for group in summary.findings if group.level == "error"]


def test_an_agent_out_of_time_keeps_its_reward(whole: Path) -> None:
    entries = build(str(whole), Options()).summary.account.entries
    (first, second) = [entry for entry in entries if entry.task_id == "stall" and entry.agent == "oracle"]
    for entry in (first, second):
        assert (entry.outcome, entry.reward) == ("scored", 1.0)
        assert entry.failure is not None
        assert entry.failure.failure_class == "AgentTimeoutError"


def test_the_headline_is_recomputed_without_the_result(copied: Path) -> None:
    stated = json.loads((copied / "result.json").read_text())["stats"]["evals"]
    (copied / "result.json").unlink()
    read = read_run(Places([str(copied)]), str(copied), Request())
    drops = read.writer.drops_invalid
    assert drops is not None
    for group in groups_of(read.trials):
        score = group.by(drops)
        assert stated[group.key]["metrics"] == [pytest.approx(score.metric)]
        assert stated[group.key]["pass_at_k"] == pytest.approx(score.pass_at_k)


def test_task_digests_are_recomputed(jobs: Jobs, whole: Path) -> None:
    tasks = jobs.folder / "tasks" / "own-set"
    account = build(str(whole), Options(request=Request(roots=(str(tasks),)))).summary.account
    made = [check for check in account.checks if check.name == "task digests recomputed"]
    assert [(check.made, check.count) for check in made] == [(True, 20)]
    assert "task-digest-differs" not in findings(whole, roots=(str(tasks),))


def test_the_plugin_leaves_ledger_and_summary_that_verify(whole: Path, run: Callable[..., tuple[int, str]]) -> None:
    ledger = parse_ledger((whole / "runaudit_ledger.jsonl").read_bytes())
    assert Counter(entry.event for entry in ledger.entries) == {"start": 1, "attempt": 20, "end": 1}
    assert (whole / "run_summary.json").exists()
    assert verified(whole, run) == 0


def test_a_moved_job_verifies(copied: Path, run: Callable[..., tuple[int, str]]) -> None:
    assert verified(copied, run) == 0


def test_an_edited_reward_is_named_with_both_values(copied: Path, run: Callable[..., tuple[int, str]]) -> None:
    trial = next(copied.glob("sum__*"))
    result = trial / "result.json"
    result.write_text(result.read_text().replace('"reward": 0', '"reward": 1'))
    code, said = run("verify", str(copied))
    assert code == 1
    for finding in ("reward-mismatch", "result-edited", "file-changed", "headline-differs"):
        assert finding in said
    (place, *_) = findings(copied)["result-edited"]
    assert (place.expected, place.found) == ("0", "1")


@pytest.mark.parametrize("name", ["result.json", "verifier/reward.json", "lock.json", "trial.log"])
def test_a_removed_file_is_missed(copied: Path, run: Callable[..., tuple[int, str]], name: str) -> None:
    (next(copied.glob("sum__*")) / name).unlink()
    code, said = run("verify", str(copied))
    assert code == 1
    assert name in said


def test_deleted_trials_are_named_with_their_old_rewards(jobs: Jobs) -> None:
    job = jobs.configure("thrown", ("greet", "sum"), agents=[SCRIPTED])
    assert jobs.run("thrown", *PLUGIN).returncode == 0
    deleted = sorted(path.name for path in job.glob("sum__*"))
    for name in deleted:
        shutil.rmtree(job / name)
    assert jobs.resume(job, *PLUGIN).returncode == 0
    places = findings(job)["attempt-vanished"]
    assert [(place.expected, place.found) for place in places] == [("0", "no trial")] * 2
    assert all(any(name in place.message for place in places) for name in deleted)
    assert "later-trials" in notes(job)


def test_trials_filtered_at_a_resume_are_named(jobs: Jobs) -> None:
    job = jobs.configure("filtered", ("greet", "mute"))
    assert jobs.run("filtered", *PLUGIN).returncode == 0
    filtered = sorted(path.name for path in job.glob("mute__*"))
    assert jobs.resume(job, "-f", "RewardFileNotFoundError", *PLUGIN).returncode == 0
    places = findings(job)["attempt-vanished"]
    assert sorted(place.message.split(" ")[0] for place in places) == filtered


def test_a_retried_attempt_keeps_its_cost_in_the_ledger(jobs: Jobs) -> None:
    job = jobs.configure(
        "flaky", ("greet",), n_attempts=1, retry={"max_retries": 1, "min_wait_sec": 0.1}, agents=[FLAKY]
    )
    assert jobs.run("flaky", *PLUGIN).returncode == 0
    said = [place.message for place in notes(job)["attempts-retried"]]
    assert any("ConnectionDroppedError" in message and "321 input tokens, 4.5 USD" in message for message in said)
    assert findings(job) == {}


def test_an_interrupted_job_is_recorded_by_summarize(jobs: Jobs, run: Callable[..., tuple[int, str]]) -> None:
    job = jobs.configure("stopped", ("stall", "greet"))
    process = jobs.start("stopped", *PLUGIN)
    wait_for("stall__*/config.json", job)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    before = len(parse_ledger((job / "runaudit_ledger.jsonl").read_bytes()).entries)
    assert run("summarize", str(job))[0] == 0
    ledger = parse_ledger((job / "runaudit_ledger.jsonl").read_bytes())
    assert (len(ledger.entries), ledger.entries[-1].event) == (before + 1, "summary")
    assert "job-unfinished" in findings(job)
    assert jobs.resume(job, *PLUGIN).returncode == 0
    assert parse_ledger((job / "runaudit_ledger.jsonl").read_bytes()).entries[: before + 1] == ledger.entries
    assert findings(job) == {}
    assert verified(job, run) == 0


@pytest.mark.parametrize("fault", ["Constructor", "Start", "Trial", "End", "Everywhere"])
def test_a_fault_of_the_plugin_leaves_the_job_alone(jobs: Jobs, fault: str) -> None:
    name = f"broken-{fault.lower()}"
    job = jobs.configure(name, ("greet",), n_attempts=1)
    assert jobs.run(name, "--plugin", f"broken_plugins:Broken{fault}").returncode == 0
    result = json.loads((job / "result.json").read_text())
    assert result["finished_at"] is not None
    assert [stats["metrics"] for stats in result["stats"]["evals"].values()] == [[{"mean": 1.0}]]


def test_two_reward_files_and_named_rewards_are_no_error(jobs: Jobs) -> None:
    job = jobs.configure("named", ("both",), n_attempts=1)
    assert jobs.run("named").returncode == 0
    assert {"reward-conflict", "tasks-unscored"} <= set(notes(job))
    assert set(findings(job)) == {"nothing-ran"}
