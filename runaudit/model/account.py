"""Everything that a layout found out about one run: what the document is composed of, whoever the producer was."""

from typing import Any

import msgspec

from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.task import FileEvidence, TaskEntry


class Producer(msgspec.Struct, frozen=True):
    """What is known of the tool that wrote the files; `basis` says from what."""

    name: str
    version: str | None = None
    basis: str | None = None


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """Where the tasks come from, and the digests that the producer recorded."""

    name: str | None = None
    source: str | None = None
    digests: dict[str, str] | None = None


class RunIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Which run it was. Unknown is null, never invented."""

    target: str | None = None
    taskset: str | None = None
    agents: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    split: str | None = None
    dataset: Dataset | None = None
    task_source: str | None = None
    rows_task_source: str | None = None
    harness_version: str | None = None
    timeouts: dict[str, Any] | None = None
    overrides: dict[str, Any] | None = None
    request: dict[str, Any] | None = None
    resumed: bool | None = None
    selected_from: str | None = None


class StaleFile(msgspec.Struct, frozen=True):
    """A file under one of the run's names that an earlier run left."""

    path: str
    size: int
    digest: str | None


class SetAside(msgspec.Struct, frozen=True):
    """A file that lies under one of the run's names and was not taken for this run's, and why."""

    key: str
    path: str
    reason: str
    size: int
    digest: str | None


class MissingPath(msgspec.Struct, frozen=True, gc=False):
    """A path that a row or a list of shards names and that is not on disk."""

    path: str
    field: str
    task_index: int | None = None
    repeat: int | None = None


Files = dict[str, str | tuple[str, ...] | None]


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One run as its layout saw it.

    `entries` are in the document's order. `rows_unplaced` counts rows that no key could be given to; while there are
    any, nothing of that file is called missing. `scoring` counts, by server, the rows that had a reward at all.
    """

    layout: str
    producer: Producer
    folder: str
    stem: str | None
    run: RunIdentity
    files: Files
    evidence: dict[str, FileEvidence]
    entries: list[TaskEntry]
    rows_unplaced: int = 0
    skipped: dict[str, str] = {}
    unvalidated: dict[str, str] = {}
    stale_files: tuple[StaleFile, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    missing_paths: tuple[MissingPath, ...] = ()
    checks: tuple[Check, ...] = ()
    findings: tuple[Finding, ...] = ()
    means: tuple[Any, ...] = ()
