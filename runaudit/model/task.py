"""One selected task and repeat: what came out of it, and where its evidence lies.

`reward` is a finite number only when the outcome is `scored`. `recorded_reward` is what the row said: absent when it
said none, the text that stood there when it was not finite or of another type. Paths are relative to the summary.
"""

from typing import Any, Literal

import msgspec

Outcome = Literal["scored", "masked", "unscored", "failed", "missing", "conflicted"]
OUTCOMES: tuple[Outcome, ...] = ("scored", "masked", "unscored", "failed", "missing", "conflicted")


class Failure(msgspec.Struct, frozen=True, kw_only=True, rename={"failure_class": "class"}):
    """What failed, of the last attempt, and how many attempts failed in all."""

    failure_class: str | None = None
    kind: str | None = None
    stage: str | None = None
    attempts: int = 0
    terminal: bool | None = None
    message: str | None = None


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Token counts as the producer recorded them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None


class FileEvidence(msgspec.Struct, frozen=True, gc=False):
    """A file as it was read: size in bytes and content digest (`algorithm:hex`), null where it could not be read."""

    size: int
    digest: str | None = None


class TreeEvidence(msgspec.Struct, frozen=True, gc=False):
    """Files below a folder: how many, their bytes, and one digest over their sorted names and sizes (or contents)."""

    files: int
    bytes: int
    digest: str


class TaskEvidence(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Evidence of one task's own files. What is absent is left out."""

    test_stdout: FileEvidence | None = None
    reward_file: FileEvidence | None = None
    trajectory: FileEvidence | None = None
    artifacts: TreeEvidence | None = None
    other: TreeEvidence | None = None
    files: dict[str, FileEvidence] | None = None


class TaskEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of `tasks`. Null where unknown."""

    task_id: str | None = None
    taskset: str | None = None
    task_index: int | None = None
    repeat: int | None = None
    stage: int | str | msgspec.UnsetType = msgspec.UNSET
    shard: str | msgspec.UnsetType = msgspec.UNSET
    server: str | None = None
    agent: str | None = None
    model: str | None = None
    trial_name: str | msgspec.UnsetType = msgspec.UNSET
    trial_id: str | msgspec.UnsetType | None = msgspec.UNSET
    outcome: Outcome
    reward: float | None = None
    recorded_reward: Any = msgspec.UNSET
    passed: bool | None = None
    degraded: str | None = None
    failure: Failure | None = None
    verifier_logs: str | None = None
    test_stdout: str | None = None
    reward_file: str | None = None
    trajectory: str | None = None
    artifacts: str | None = None
    input: dict[str, Any] | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    started_at: str | None = None
    seconds: float | None = None
    health: str | None = None
    evidence: TaskEvidence | None = None
