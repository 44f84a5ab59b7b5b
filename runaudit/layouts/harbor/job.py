"""The job's own documents, read: what was planned, what Harbor says came out, and who wrote it."""

import os
from collections import Counter
from typing import Any

import msgspec

from runaudit.layouts.harbor.document import Reading, findings_of, read_document
from runaudit.layouts.harbor.locate import JobFolder
from runaudit.layouts.harbor.names import JOB_FILES
from runaudit.layouts.harbor.trial_document import agent_of, task_key
from runaudit.layouts.json_fields import at, count, mapping, sequence, text
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Finding
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes

_LARGEST_LOG = 64 << 20


class Planned(msgspec.Struct, frozen=True):
    """One trial that the job's lock plans. It has no name and no id: `group` is all that tells it from others."""

    position: int
    key: tuple[str | None, ...]
    name: str | None
    source: str | None
    digest: str | None
    agent: str | None
    model: str | None

    @property
    def group(self) -> tuple[Any, ...]:
        """What the planned trial has in common with the folder that it became."""
        return (self.key, self.agent, self.model)


class Job(msgspec.Struct, frozen=True):
    """A job, as its own documents have it. `log` is the text of job.log, empty when there is none."""

    config: Reading
    lock: Reading
    result: Reading
    log: str
    planned: tuple[Planned, ...]
    total: int | None

    @property
    def stats(self) -> dict[str, Any]:
        """The statistics that Harbor wrote."""
        return mapping(self.result.value.get("stats"))

    @property
    def finished(self) -> bool:
        """Whether the result says that the job came to its end: before that its numbers are live."""
        return text(self.result.value.get("finished_at")) is not None

    @property
    def attempts(self) -> int | None:
        """How many trials the configuration asks for of each task and agent; absent means one."""
        if not self.config.usable:
            return None
        value = self.config.value.get("n_attempts")
        return 1 if value is None else count(value)


def read_job(folder: JobFolder, algorithm: Algorithm | None) -> tuple[Job, list[Finding]]:
    """The documents of the job folder, and what is wrong with them."""
    config, lock, result = (
        read_document(folder.files[key], JOB_FILES[key], algorithm) for key in ("config", "lock", "result")
    )
    planned = tuple(
        _planned(position, mapping(entry)) for position, entry in enumerate(sequence(lock.value.get("trials")))
    )
    total = count(result.value.get("n_total_trials"))
    job = Job(config, lock, result, _log(folder), planned, total if total is not None else len(planned) or None)
    return job, findings_of(config) + findings_of(lock) + findings_of(result, "job-result-unreadable")


def _planned(position: int, entry: dict[str, Any]) -> Planned:
    task, agent = mapping(entry.get("task")), mapping(entry.get("agent"))
    source = text(task.get("source"))
    return Planned(
        position=position,
        key=task_key(task, source),
        name=text(task.get("name")),
        source=source,
        digest=text(task.get("digest")),
        agent=agent_of(agent),
        model=text(agent.get("model_name")),
    )


def _log(folder: JobFolder) -> str:
    data = read_bytes(folder.files["job_log"], _LARGEST_LOG)
    return "" if isinstance(data, Trouble) else data.decode("utf-8", "replace")


def folder_name(folder: JobFolder) -> str:
    """The job's name: that of its folder, which Harbor itself goes by."""
    return os.path.basename(folder.path)


def planned_groups(job: Job) -> Counter[tuple[Any, ...]]:
    """How many trials of each group the lock plans."""
    return Counter(plan.group for plan in job.planned)


def eval_stats(job: Job) -> dict[str, dict[str, Any]]:
    """The statistics of each group of trials, by Harbor's key."""
    return {str(key): mapping(value) for key, value in mapping(at(job.stats, "evals")).items()}
