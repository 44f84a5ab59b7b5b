"""A run summary as it was read back from its file: the parts that a person is shown, whatever else stands there."""

from typing import Any

import msgspec

from runaudit.model.account import MissingPath, Producer, RunIdentity, SetAside, StaleFile
from runaudit.model.check import Check
from runaudit.model.finding import Group
from runaudit.model.summary import Counts
from runaudit.model.task import Failure


class StoredMeans(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the producer's aggregate beside the rows of its server (see the schema)."""

    server: str | None = None
    agent: str | None = None
    rows: int = 0
    scored: int = 0
    masked: int = 0
    unscored: int = 0
    imputed: int = 0
    mean: float | None = None
    n: int = 0
    aggregate_mean: float | None = None
    aggregate_n: int | None = None
    explanation: str = ""


class StoredTask(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `tasks`, as far as it is shown."""

    task_id: str | None = None
    task_index: int | None = None
    repeat: int | None = None
    outcome: str
    degraded: str | None = None
    failure: Failure | None = None
    verifier_logs: str | None = None
    trajectory: str | None = None
    health: str | None = None


class StoredSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A document of kind `run_summary`. Keys that this version does not know are let pass."""

    layout: str
    producer: Producer
    run: RunIdentity
    counts: Counts
    tasks: list[StoredTask]
    means: list[StoredMeans] = []
    files: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    unvalidated: dict[str, str] = {}
    stale_files: list[StaleFile] = []
    set_aside: list[SetAside] = []
    missing_paths: list[MissingPath] = []
    checks: list[Check] = []
    findings: list[Group] = []
