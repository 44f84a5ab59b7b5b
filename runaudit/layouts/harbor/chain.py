"""The chain of a reward: what the verifier wrote, what the trial's result says, what the job's result says.

Harbor trusts each link without looking at the one before. A break is an error that names both values.
"""

from collections.abc import Iterator

from runaudit.layouts.harbor.job import Job, eval_stats
from runaudit.layouts.harbor.rewards import Rewards, equal, shown
from runaudit.layouts.harbor.trial import Trial, Verification
from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import Number, number, same, sequence
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble


def chain_findings(job: Job, trials: list[Trial], writer: Writer) -> Iterator[Finding]:
    """Every break in the chains of all trials."""
    for trial in trials:
        for verification in (trial.whole, *trial.steps):
            yield from _files_against_result(trial, verification, writer)
        yield from _steps_against_trial(trial)
    if job.finished:
        yield from _trials_against_job(job, trials)


def _files_against_result(trial: Trial, verification: Verification, writer: Writer) -> Iterator[Finding]:
    files = verification.files
    if isinstance(files.from_text, dict) and isinstance(files.from_json, dict):
        yield from _two_files(trial, verification, writer)
    chosen = files.chosen(writer)
    if chosen is None or not trial.finished_ok:
        return
    name, said = chosen
    path = f"{verification.folder}/{name}"
    if isinstance(said, Trouble):
        yield Finding("invalid-reward-file", said.message, path=path, task_id=trial.task)
        if said.id == "invalid-reward-file" and verification.rewards:
            yield _no_such_reward(trial, verification, path, said)
        return
    if equal(said, verification.rewards) or not (said or verification.rewards):
        return
    # Beside an exception this is weak evidence: a verifier may be stopped after it wrote its file.
    stopped = bool(trial.errors) and verification.recorded is None
    where = f" in step {verification.step}" if verification.step else ""
    yield Finding(
        "reward-mismatch",
        f"{name} of {trial.name} says {shown(said)}, its result.json says {shown(verification.recorded)}{where}"
        + (f" beside {trial.errors[0].kind}" if stopped else ""),
        path=path,
        task_id=trial.task,
        expected=shown(said),
        found=shown(verification.recorded),
        level="warning" if stopped else None,
    )


def _no_such_reward(trial: Trial, verification: Verification, path: str, said: Trouble) -> Finding:
    stated = shown(verification.recorded)
    return Finding(
        "reward-mismatch",
        f"the reward file of {trial.name} gives no reward ({said.message}), its result.json says {stated}",
        path=path,
        task_id=trial.task,
        expected="no reward",
        found=stated,
    )


def _two_files(trial: Trial, verification: Verification, writer: Writer) -> Iterator[Finding]:
    files = verification.files
    if equal(files.from_text, files.from_json):
        return
    counts = {True: "the first counts", False: "the second counts", None: "nothing says which the writer read"}
    yield Finding(
        "reward-conflict",
        f"reward.json says {shown(files.from_json)}, reward.txt {shown(files.from_text)}: {counts[writer.json_wins]}",
        path=verification.folder,
        task_id=trial.task,
        level=None if writer.json_wins is None else "note",
    )


def _steps_against_trial(trial: Trial) -> Iterator[Finding]:
    """A trial of several steps has the mean of the steps with a result, or the last step's rewards."""
    if not trial.steps or trial.rewards is None:
        return
    known = [step.rewards for step in trial.steps if step.rewards is not None]
    mean, last = mean_of(known), trial.steps[-1].rewards
    if equal(trial.rewards, mean) or equal(trial.rewards, last):
        return
    yield Finding(
        "reward-mismatch",
        f"the steps of {trial.name} give {shown(mean or None)} as their mean and {shown(last)} as the last one, "
        f"its result.json says {shown(trial.rewards)}",
        path=trial.label,
        task_id=trial.task,
        expected=shown(mean or None),
        found=shown(trial.rewards),
    )


def mean_of(known: list[Rewards]) -> Rewards:
    """The mean by name; a name that one of them lacks counts as 0 there."""
    keys = sorted({key for rewards in known for key in rewards})
    return {key: sum(rewards.get(key, 0) for rewards in known) / len(known) for key in keys}


def listed_rewards(job: Job) -> dict[str, dict[str, Number]]:
    """The rewards that the job's result lists, by trial and name of the reward."""
    found: dict[str, dict[str, Number]] = {}
    for stats in eval_stats(job).values():
        for key, by_value in _items(stats.get("reward_stats")):
            for value, names in _items(by_value):
                stated = _stated(value)
                for name in sequence(names):
                    if isinstance(name, str) and stated is not None:
                        found.setdefault(name, {})[key] = stated
    return found


def _items(value: object) -> list[tuple[str, object]]:
    return [(str(key), inner) for key, inner in value.items()] if isinstance(value, dict) else []


def _stated(value: str) -> Number | None:
    try:
        return number(float(value))
    except ValueError:
        return None


def _trials_against_job(job: Job, trials: list[Trial]) -> Iterator[Finding]:
    listed = listed_rewards(job)
    for trial in trials:
        stated = listed.get(trial.called)
        if stated is None or trial.rewards is None:
            continue
        if stated.keys() == trial.rewards.keys() and all(same(stated[key], trial.rewards[key]) for key in stated):
            continue
        yield Finding(
            "reward-mismatch",
            f"the result.json of {trial.name} says {shown(trial.rewards)}, that of the job lists {shown(stated)}",
            path=job.result.path,
            task_id=trial.task,
            expected=shown(trial.rewards),
            found=shown(stated),
        )
