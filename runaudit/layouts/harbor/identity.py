"""Which run a job was: agents, models, dataset, version, and every setting that is not the default."""

import posixpath
from typing import Any

from runaudit.layouts.harbor.departures import departures
from runaudit.layouts.harbor.job import Job
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.harbor.versions import Writer
from runaudit.layouts.json_fields import at, mapping, sequence, text
from runaudit.model.account import Dataset, RunIdentity
from runaudit.model.request import Request
from runaudit.read.values import NonFinite


def run_identity(job: Job, trials: list[Trial], writer: Writer, request: Request) -> RunIdentity:
    """The job's identity, as told and as its documents have it."""
    sources = sorted({trial.source for trial in trials if trial.source is not None})
    settings = {name: _plain(value) for name, value in departures(job.config.value).items()}
    timeouts = {name: value for name, value in settings.items() if "timeout" in name}
    return RunIdentity(
        target=request.target or text(job.config.value.get("job_name")),
        taskset=request.taskset or (sources[0] if len(sources) == 1 else None),
        agents=tuple(sorted({trial.agent for trial in trials if trial.agent is not None})),
        models=tuple(sorted({trial.model for trial in trials if trial.model is not None})),
        dataset=_dataset(job, trials, request),
        harness_version=writer.version,
        timeouts=timeouts or None,
        overrides={name: value for name, value in settings.items() if name not in timeouts} or None,
        resumed=request.resumed,
    )


def _dataset(job: Job, trials: list[Trial], request: Request) -> Dataset | None:
    datasets = [mapping(dataset) for dataset in sequence(job.config.value.get("datasets"))]
    only = datasets[0] if len(datasets) == 1 else {}
    place = text(only.get("path")) or text(only.get("repo"))
    name = text(only.get("name")) or (posixpath.basename(place.rstrip("/")) if place else None)
    # The same digest for every trial of a task; a task with several has its own finding and is left out.
    by_task: dict[str, set[str]] = {}
    for trial in trials:
        if trial.digest is not None and (task := trial.task or trial.task_name) is not None:
            by_task.setdefault(task, set()).add(trial.digest)
    digests = {task: next(iter(found)) for task, found in sorted(by_task.items()) if len(found) == 1}
    if not (request.dataset or name or digests):
        return None
    version = text(only.get("version")) or text(only.get("ref")) or text(at(only, "registry_url"))
    return Dataset(name=request.dataset or name, source=version, digests=digests or None)


def _plain(value: Any) -> Any:
    """A setting as every document can hold it."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, NonFinite):
        return value.text
    if isinstance(value, str):
        return text(value) or ""
    return value if not isinstance(value, int) or abs(value) < 1 << 63 else str(value)[:40]
