"""The cases in `fixtures/jobs`, as code: `python -m tests.job_builders.harbor_cases` writes them anew.

Each is a small job folder by hand, in the shape of the version that it names, and what an audit must say of it. Real
jobs, written by Harbor itself, lie beside them and are made by the interop tests.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.job_builders.harbor_job import HarborJob, digest_of, edit, write
from tests.job_builders.harbor_ledger import ledger_line, seen

FIXTURES = Path(__file__).parents[2] / "fixtures" / "jobs"
Case = Callable[[Path], HarborJob]
NO_REWARD = "RewardFileNotFoundError"


def old_stat_names(folder: Path) -> HarborJob:
    """Up to 0.4: other names in the statistics, an orchestrator in the configuration, no lock files."""
    job = HarborJob(folder, version=None).sound()
    stats = {"n_trials": 2, "n_errors": 0, "evals": job.group(0.5)}
    edit(job.folder / "result.json", stats=stats)
    edit(job.folder / "config.json", orchestrator={"type": "local", "n_concurrent_trials": 1})
    return without_trial_locks(job)


def local_trial_times(folder: Path) -> HarborJob:
    """0.1.22: trial times are local, without a zone; they are never held against anything."""
    job = old_stat_names(folder)
    for name, second in (("greet__AAAAAAA", 59), ("sum__BBBBBBB", 1)):
        edit(job.folder / name / "result.json", started_at=f"2025-12-01T23:00:{second:02}.5")
    return job


def text_reward_wins(folder: Path) -> HarborJob:
    """0.6.6: reward.txt goes before reward.json."""
    return both_reward_files(folder, "0.6.6", 1)


def json_reward_wins(folder: Path) -> HarborJob:
    """0.9.0: reward.json goes before reward.txt."""
    return both_reward_files(folder, "0.9.0", 0)


def both_reward_files(folder: Path, version: str, counts: int) -> HarborJob:
    job = HarborJob(folder, version=version)
    files = {"verifier/reward.txt": "1.0\n", "verifier/reward.json": '{"reward": 0}'}
    job.trial("greet", "AAAAAAA", {"reward": counts}, files=files)
    return job.finish(job.group(float(counts)))


def no_trial_lock(folder: Path) -> HarborJob:
    """0.13: a lock for the job, none for its trials, and the whole configuration written out."""
    job = HarborJob(folder, version="0.13.2").sound()
    edit(
        job.folder / "config.json",
        timeout_multiplier=1.0,
        agents=[{"name": "oracle"}],
        metrics=[],
        n_concurrent_trials=4,
    )
    return without_trial_locks(job)


def without_trial_locks(job: HarborJob) -> HarborJob:
    for path in job.folder.glob("*/lock.json"):
        path.unlink()
    return job


def reward_not_a_number(folder: Path) -> HarborJob:
    """0.18: no check for finite numbers yet; NaN was written to the result as null and counted as no reward."""
    job = HarborJob(folder, version="0.18.0")
    job.trial("greet", "AAAAAAA", {"reward": 1})
    job.trial("sum", "BBBBBBB", {"reward": None}, files={"verifier/reward.txt": "nan\n"})
    group = job.group(None)
    group["oracle__own-set"]["metrics"] = [{"mean": None}]
    return job.finish(group)


def missing_counts_as_zero(folder: Path) -> HarborJob:
    """0.25: two trials of one task, one without a reward: it counts as 0 and as a failure."""
    job = HarborJob(folder, version="0.25.0")
    job.trial("greet", "AAAAAAA", {"reward": 1})
    job.trial("greet", "BBBBBBB", None, error=NO_REWARD)
    return job.finish(job.group(0.5, pass_at_k={"2": 1.0}), config={"n_attempts": 2})


def missing_is_left_out(folder: Path) -> HarborJob:
    """0.26: the same outcomes; the trial without a reward enters neither mean nor pass@k."""
    job = HarborJob(folder, version="0.26.0")
    job.trial("greet", "AAAAAAA", {"reward": 1}, reward_valid=True)
    job.trial("greet", "BBBBBBB", None, error=NO_REWARD, reward_valid=False)
    return job.finish(job.group(1.0), config={"n_attempts": 2})


def invalid_by_policy(folder: Path) -> HarborJob:
    """0.26: a reward beside a failure of the model's provider is no measurement; beside an unknown one it is."""
    job = HarborJob(folder, version="0.26.0")
    job.trial("greet", "AAAAAAA", {"reward": 1}, error="OddError", reward_valid=True)
    job.trial("sum", "BBBBBBB", {"reward": 1}, error="ApiRateLimitError", reward_valid=False)
    group = job.group(1.0)
    stats = group["oracle__own-set"]
    stats |= {"n_trials": 1, "reward_stats": {"reward": {"1": ["greet__AAAAAAA"]}}}
    return job.finish(group)


def errors_of_steps(folder: Path) -> HarborJob:
    """0.26: an exception of one step counts among the errors; before, it stayed on the step."""
    return stepped(folder, "0.26.0", errored=1)


def errors_of_steps_before(folder: Path) -> HarborJob:
    """0.25: an exception of one step is not counted."""
    return stepped(folder, "0.25.0", errored=0)


def stepped(folder: Path, version: str, *, errored: int) -> HarborJob:
    job = HarborJob(folder, version=version)
    error = {"exception_type": "AgentTimeoutError", "exception_message": "too slow"}
    steps = [
        {"step_name": "first", "verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": error},
        {"step_name": "second", "verifier_result": {"rewards": {"reward": 0.0}}},
    ]
    files = {"steps/first/verifier/reward.txt": "1\n", "steps/second/verifier/reward.txt": "0\n"}
    job.trial("pair", "AAAAAAA", {"reward": 0.5}, files=files, step_results=steps)
    group = job.group(0.5)
    group["oracle__own-set"]["n_errors"] = errored
    group["oracle__own-set"]["exception_stats"] = {"AgentTimeoutError": ["pair__AAAAAAA"]} if errored else {}
    job.finish(group)
    stats = json.loads((folder / "result.json").read_text())["stats"] | {"n_errored_trials": errored}
    edit(folder / "result.json", stats=stats)
    return job


def two_named_rewards(folder: Path) -> HarborJob:
    """Several named rewards: a mean for each name, none called mean, and no one number for the trial."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"style": 0.5, "speed": 1})
    group = job.group(None)
    group["oracle__own-set"]["metrics"] = [{"speed": 1.0, "style": 0.5}]
    return job.finish(group)


def underscores_in_dataset(folder: Path) -> HarborJob:
    """A dataset whose name holds two underscores has no metrics in 0.25."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"reward": 1}, source="own__set")
    group = job.group(None)
    return job.finish({"oracle__own__set": group["oracle__own-set"]})


def another_metric(folder: Path) -> HarborJob:
    """A metric that is no mean cannot be told, and is no error."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"reward": 1})
    job.trial("sum", "BBBBBBB", {"reward": 0})
    group = job.group(None)
    group["oracle__own-set"]["metrics"] = [{"max": 1}]
    return job.finish(group, config={"metrics": [{"type": "max"}]})


def leaderboard(folder: Path) -> HarborJob:
    """Only config.json and the trials' result.json were handed in."""
    job = HarborJob(folder).sound()
    for path in sorted(job.folder.rglob("*"), reverse=True):
        kept = path.name == "result.json" and path.parent != job.folder
        if path.is_file() and not kept and path != job.folder / "config.json":
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    return job


def third_party(folder: Path) -> HarborJob:
    """Results of Harbor's shape by another writer: no configuration, null task id, an invented checksum."""
    job = HarborJob(folder, version=None).sound()
    for name in ("config.json", "result.json", "job.log"):
        (job.folder / name).unlink()
    for result in job.folder.glob("*/result.json"):
        edit(result, task_id=None, config=None, trial_uri="other://greet", task_checksum="made-up", source=None)
        (result.parent / "config.json").unlink()
    return without_trial_locks(job)


def running(folder: Path) -> HarborJob:
    """A job that still runs: one trial done, one begun, and live numbers in the result."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"reward": 1})
    begun = job.trial("sum", "BBBBBBB", {"reward": 0})
    job.finish({}, finished_at=None)
    for name in ("result.json", "verifier/reward.json", "verifier/test-stdout.txt"):
        (begun / name).unlink()
    return job


def moved_and_resumed(folder: Path) -> HarborJob:
    """The job went on in another place: recorded places differ, and nothing is wrong."""
    job = HarborJob(folder).sound()
    edit(job.folder / "sum__BBBBBBB" / "result.json", trial_uri="file:///elsewhere/own/sum__BBBBBBB")
    return job


def edited_and_resumed(folder: Path) -> HarborJob:
    """A reward was edited, and the job resumed: result and headline agree, the verifier's file does not."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"reward": 1})
    job.trial("sum", "BBBBBBB", {"reward": 1}, files={"verifier/reward.json": '{"reward": 0}'})
    return job.finish(job.group(1.0))


def edited(folder: Path) -> HarborJob:
    """A reward was edited in one result only."""
    job = HarborJob(folder).sound()
    edit(job.folder / "sum__BBBBBBB" / "result.json", verifier_result={"rewards": {"reward": 1}})
    return job


def edited_headline(folder: Path) -> HarborJob:
    """Only the headline was edited."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"reward": 1})
    job.trial("sum", "BBBBBBB", {"reward": 0})
    return job.finish(job.group(0.75))


def headline_of_other_version(folder: Path) -> HarborJob:
    """The lock names 0.25, the headline follows the rule of 0.26."""
    job = missing_counts_as_zero(folder)
    return job.finish(job.group(1.0), config={"n_attempts": 2})


def mixed_digest(folder: Path) -> HarborJob:
    """The lock was rebuilt after the task had changed: two digests under one name."""
    job = HarborJob(folder)
    job.trial("greet", "AAAAAAA", {"reward": 1})
    job.trial("greet", "BBBBBBB", {"reward": 1}, digest=digest_of("greet, easier"))
    job.locks[0] = job.locks[1]
    return job.finish(job.group(1.0, pass_at_k={"2": 1.0}), config={"n_attempts": 2})


def copied_trial(folder: Path) -> HarborJob:
    """A passing trial was copied to look like two."""
    job = HarborJob(folder).sound()
    shutil.copytree(job.folder / "greet__AAAAAAA", job.folder / "greet__CCCCCCC")
    return job


def cut_result(folder: Path) -> HarborJob:
    """A result was cut, the job resumed, and the replacement stands beside it."""
    job = HarborJob(folder)
    cut = job.trial("greet", "AAAAAAA", {"reward": 1})
    job.results.clear()
    job.locks.clear()
    job.trial("greet", "BBBBBBB", {"reward": 1})
    (cut / "result.json").write_bytes((cut / "result.json").read_bytes()[:200])
    return job.finish(job.group(1.0))


def removed_trial(folder: Path) -> HarborJob:
    """A failed trial was removed by hand and nothing else changed."""
    job = HarborJob(folder).sound()
    shutil.rmtree(job.folder / "sum__BBBBBBB")
    return job


def wrong_totals(folder: Path) -> HarborJob:
    """The job's cost is not the sum over its trials."""
    job = HarborJob(folder)
    tokens = {"n_input_tokens": 10, "n_cache_tokens": 0, "n_output_tokens": 2, "cost_usd": 0.5}
    job.trial("greet", "AAAAAAA", {"reward": 1}, agent_result=tokens)
    job.finish(job.group(1.0))
    stats = json.loads((folder / "result.json").read_text())["stats"]
    edit(folder / "result.json", stats=stats | tokens | {"cost_usd": 0.05})
    return job


def vanished_attempt(folder: Path) -> HarborJob:
    """The ledger knows an attempt that failed; another one took its place under another name."""
    job = HarborJob(folder)
    kept = job.trial("greet", "AAAAAAA", {"reward": 1})
    lost = job.trial("sum", "BBBBBBB", {"reward": 0})
    before = [seen(kept), seen(lost)]
    shutil.rmtree(lost)
    job.results.pop()
    job.locks.pop()
    again = job.trial("sum", "CCCCCCC", {"reward": 1}, id="99999999-0000-4000-8000-000000000000")
    job.finish(job.group(1.0))
    lines = [ledger_line("start", []), ledger_line("end", before), ledger_line("start", before[:1])]
    lines.append(ledger_line("end", [seen(kept), seen(again)]))
    (folder / "runaudit_ledger.jsonl").write_text("".join(lines))
    return job


def edited_after_ledger(folder: Path) -> HarborJob:
    """The ledger recorded a reward; result, reward file and headline were all edited to agree on another one."""
    job = HarborJob(folder)
    trial = job.trial("greet", "AAAAAAA", {"reward": 0})
    line = ledger_line("end", [seen(trial)])
    edit(trial / "result.json", verifier_result={"rewards": {"reward": 1}})
    write(trial / "verifier" / "reward.json", {"reward": 1})
    job.results[0]["verifier_result"] = {"rewards": {"reward": 1}}
    job.finish(job.group(1.0))
    (folder / "runaudit_ledger.jsonl").write_text(line)
    return job


def foreign_trajectory(folder: Path) -> HarborJob:
    """A trajectory of another trial, whose totals are not the sum of its steps."""
    job = HarborJob(folder).sound()
    steps = [
        {"step_id": 1, "source": "user", "message": "go", "timestamp": "2026-03-04T05:06:01Z"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "ok",
            "timestamp": "2026-03-04T05:06:02Z",
            "metrics": {"prompt_tokens": 5},
        },
    ]
    document = {
        "schema_version": "ATIF-v1.6",
        "session_id": "sum__BBBBBBB__agent",
        "agent": {"name": "oracle", "version": "1"},
        "steps": steps,
        "final_metrics": {"total_prompt_tokens": 6, "total_steps": 3},
    }
    write(job.folder / "greet__AAAAAAA" / "agent" / "trajectory.json", document)
    return job


# case -> (outcomes, findings by id with how many places; notes about the run itself are listed like any other)
CLEAN: dict[Case, tuple[dict[str, int], dict[str, int]]] = {
    old_stat_names: ({"scored": 2}, {"evidence-not-kept": 1, "older-writer": 1}),
    local_trial_times: ({"scored": 2}, {"evidence-not-kept": 1, "older-writer": 1}),
    text_reward_wins: ({"scored": 1}, {"reward-conflict": 1}),
    json_reward_wins: ({"scored": 1}, {"reward-conflict": 1}),
    no_trial_lock: ({"scored": 2}, {}),
    reward_not_a_number: (
        {"scored": 1, "unscored": 1},
        {"invalid-reward-file": 1, "tasks-unscored": 1},
    ),
    missing_counts_as_zero: ({"scored": 1, "failed": 1}, {"scoring-rules-differ": 1, "tasks-failed": 1}),
    missing_is_left_out: ({"scored": 1, "failed": 1}, {"scoring-rules-differ": 1, "tasks-failed": 1}),
    invalid_by_policy: ({"scored": 1, "failed": 1}, {"tasks-failed": 1}),
    errors_of_steps: ({"scored": 1}, {}),
    errors_of_steps_before: ({"scored": 1}, {}),
    two_named_rewards: ({"unscored": 1}, {"tasks-unscored": 1, "nothing-ran": 1}),
    underscores_in_dataset: ({"scored": 1}, {}),
    another_metric: ({"scored": 2}, {}),
    leaderboard: ({"scored": 2}, {"evidence-not-kept": 1}),
    third_party: ({"scored": 2}, {"evidence-not-kept": 1, "not-written-by-harbor": 1}),
    running: ({"scored": 1, "missing": 1}, {"job-unfinished": 1, "trial-unfinished": 1, "tasks-missing": 1}),
    moved_and_resumed: ({"scored": 2}, {"mixed-roots": 1}),
}
FINDINGS: dict[Case, tuple[dict[str, int], dict[str, int]]] = {
    edited_and_resumed: ({"scored": 2}, {"reward-mismatch": 1}),
    edited: ({"scored": 2}, {"reward-mismatch": 2, "headline-differs": 1}),
    edited_headline: ({"scored": 2}, {"headline-differs": 1}),
    headline_of_other_version: (
        {"scored": 1, "failed": 1},
        {"headline-other-rule": 1, "scoring-rules-differ": 1, "tasks-failed": 1},
    ),
    mixed_digest: ({"scored": 2}, {"mixed-task-digest": 1}),
    copied_trial: ({"scored": 2}, {"duplicate-trial": 1, "trial-name-differs": 1}),
    cut_result: ({"scored": 1}, {"trial-unreadable": 1, "trial-superseded": 1}),
    removed_trial: ({"scored": 1, "missing": 1}, {"counts-differ": 3, "headline-differs": 1, "tasks-missing": 1}),
    wrong_totals: ({"scored": 1}, {"totals-differ": 1}),
    vanished_attempt: ({"scored": 2}, {"attempt-vanished": 1}),
    edited_after_ledger: ({"scored": 1}, {"result-edited": 1}),
    foreign_trajectory: ({"scored": 2}, {"trajectory-inconsistent": 3}),
}


def write_all(root: Path) -> None:
    """Writes every case below `root`, each as a folder with `job/` and `expect.json`."""
    for position, cases in (("clean", CLEAN), ("findings", FINDINGS)):
        for case, (outcomes, findings) in cases.items():
            folder = root / position / case.__name__
            shutil.rmtree(folder, ignore_errors=True)
            case(folder / "job")
            expected: dict[str, Any] = {"why": case.__doc__, "outcomes": outcomes, "findings": findings}
            write(folder / "expect.json", expected)


if __name__ == "__main__":
    write_all(FIXTURES)
