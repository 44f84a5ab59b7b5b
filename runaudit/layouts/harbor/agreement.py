"""The documents of one trial against one another, and against the job's: settings, identity, and files that they deny.

Harbor hands a job's settings to each trial unchanged and writes them three times: sparse or whole in config.json, with
every default in result.json, and in lock.json. Only fields that the result states are compared.
"""

import posixpath
from collections.abc import Collection, Iterator
from typing import Any

from runaudit.layouts.harbor.departures import AGENT, ENVIRONMENT, MULTIPLIERS, VERIFIER
from runaudit.layouts.harbor.job import Job
from runaudit.layouts.harbor.names import EXCEPTION, REWARD_JSON, REWARD_TEXT
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import at, mapping, text
from runaudit.model.finding import Finding
from runaudit.model.relative import shown

_JOB = (
    *((name,) for name in MULTIPLIERS),
    *(("environment", name) for name in ENVIRONMENT),
    *(("verifier", name) for name in VERIFIER),
)
_TRIAL = (*_JOB, *(("agent", name) for name in AGENT))
# who the trial is: compared only where both documents say it
_IDENTITY = (("trial_name",), ("job_id",), ("agent", "name"), ("agent", "import_path"), ("agent", "model_name"))
_DEFAULTS = {"timeout_multiplier": 1.0}
_SHOWN = 120
Place = tuple[str, ...]


def agreement_findings(job: Job, trials: list[Trial], files: Collection[str]) -> Iterator[Finding]:
    """What the documents of the trials disagree on. `files` are the paths in the trials' folders."""
    steps = [path for path in files if "/steps/" in path and posixpath.basename(path) in (REWARD_TEXT, REWARD_JSON)]
    for trial in trials:
        if trial.finished_ok:
            yield from _settings(job, trial)
            yield from _another_model(trial)
            yield from _validity(trial)
            yield from _exception(trial, files)
            yield from _steps(trial, [path for path in steps if path.startswith(trial.name + "/steps/")])
        yield from _another_job(job, trial)


def _settings(job: Job, trial: Trial) -> Iterator[Finding]:
    stated = mapping(trial.result.value.get("config"))
    documents = ((trial.config, _TRIAL, False), (trial.lock, _TRIAL, True), (job.config, _JOB, False))
    regraded = bool(job.config.value.get("source_jobs"))  # such trials keep settings of the job that they come from
    for reading, places, whole in documents:
        if not reading.usable or (regraded and reading is job.config):
            continue
        other = reading.value
        differing = [place for place in places if _says(stated, place) and (not whole or _says(other, place[:-1]))]
        differing += [place for place in _IDENTITY if reading is trial.config and at(other, *place) is not None]
        for place in differing:
            one, two = _value(stated, place), _value(other, place)
            if one != two and not (place in _IDENTITY and one is None):
                yield _differs(trial, reading.path, ".".join(place), two, one)
        task, said = text(at(stated, "task", "path")), text(at(other, "task", "path"))
        if task and said and posixpath.basename(task.rstrip("/")) != posixpath.basename(said.rstrip("/")):
            yield _differs(trial, reading.path, "task.path", said, task)


def _says(document: dict[str, Any], place: Place) -> bool:
    return not place or place[-1] in mapping(at(document, *place[:-1]))


def _value(document: dict[str, Any], place: Place) -> Any:
    value = at(document, *place)
    return _DEFAULTS.get(place[-1]) if value is None or value is False else value


def _differs(trial: Trial, path: str, name: str, expected: Any, found: Any) -> Finding:
    one, two = _brief(expected), _brief(found)
    return Finding(
        "settings-differ",
        f"{name}: {path} says {one}, the result of {shown(trial.name)} says {two}",
        path=trial.label,
        task_id=trial.task,
        expected=one,
        found=two,
    )


def _brief(value: Any) -> str:
    return "the default" if value is None else shown(str(value))[:_SHOWN]


def _another_model(trial: Trial) -> Iterator[Finding]:
    """An agent may name a model in its own words, so this is weak evidence."""
    asked = text(at(trial.result.value, "config", "agent", "model_name"))
    told = text(at(trial.result.value, "agent_info", "model_info", "name"))
    if asked and told and asked != told and not asked.endswith("/" + told):
        yield Finding(
            "settings-differ",
            f"the configuration of {shown(trial.name)} asks for the model {asked[:_SHOWN]}, its result names "
            f"{told[:_SHOWN]}",
            path=trial.label,
            task_id=trial.task,
            expected=asked[:_SHOWN],
            found=told[:_SHOWN],
            level="warning",
        )


def _validity(trial: Trial) -> Iterator[Finding]:
    """`reward_valid` follows from rewards and exceptions; on it depends what enters the mean from 0.26 on."""
    known = not trial.errors or all(error.counts is not None for error in trial.errors)
    follows = bool(trial.rewards) and all(error.counts is not False for error in trial.errors)
    if trial.reward_valid is not None and known and trial.reward_valid is not follows:
        yield _differs(trial, "rewards and exceptions", "reward_valid", follows, trial.reward_valid)


def _exception(trial: Trial, files: Collection[str]) -> Iterator[Finding]:
    if trial.error is None and f"{shown(trial.name)}/{EXCEPTION}" in files:
        yield Finding(
            "settings-differ",
            f"{EXCEPTION} lies in {shown(trial.name)}, its result.json has no exception",
            path=f"{shown(trial.name)}/{EXCEPTION}",
            task_id=trial.task,
            expected="an exception",
            found="none",
        )


def _steps(trial: Trial, rewards: list[str]) -> Iterator[Finding]:
    """Reward files of steps that the result does not know; beside an exception a step may have been cut off."""
    known = {step.folder for step in trial.steps}
    for path in sorted(rewards):
        if posixpath.dirname(path) not in known:
            yield Finding(
                "reward-mismatch",
                f"{path.removeprefix(trial.name + '/')} of {shown(trial.name)} is of a step that its result.json lacks",
                path=path,
                task_id=trial.task,
                expected="a result of the step",
                found="none",
                level="warning" if trial.errors else None,
            )


def _another_job(job: Job, trial: Trial) -> Iterator[Finding]:
    """A result that was lost and written anew has a new id, so this is weak evidence."""
    own = text(job.result.value.get("id"))
    named = text(at(trial.result.value, "config", "job_id")) or text(trial.config.value.get("job_id"))
    if own and named and own != named:
        yield Finding(
            "trial-of-other-job",
            f"{shown(trial.name)} names the job {named[:_SHOWN]}; consistent with a trial brought in from another job, "
            "or with a job's result that was lost and written anew",
            path=trial.label,
            task_id=trial.task,
            expected=own[:_SHOWN],
            found=named[:_SHOWN],
        )
