"""One trial as its folder shows it: who, what came out, when, and where the evidence is. Nothing is judged."""

from typing import Any

import msgspec

from runaudit.layouts.harbor.document import Reading
from runaudit.layouts.harbor.rewards import RewardFiles, Rewards
from runaudit.layouts.json_fields import Number
from runaudit.model.task import TaskEvidence


class Tokens(msgspec.Struct, frozen=True):
    """Tokens and cost as the trial states them; input includes what came from a cache."""

    input: int | None = None
    cached: int | None = None
    output: int | None = None
    cost: Number | None = None


class Error(msgspec.Struct, frozen=True):
    """An exception that a result states, of the trial or of one of its steps; `step` None is the trial's own."""

    kind: str
    message: str | None = None
    step: str | None = None
    counts: bool | None = None


class Verification(msgspec.Struct, frozen=True):
    """One run of a verifier: of the whole trial (`step` None), or of one step.

    `recorded` is what the result says of the rewards, whatever its type; `rewards` the same where they are valid.
    """

    step: str | None
    folder: str
    recorded: Any = None
    rewards: Rewards | None = None
    files: RewardFiles = RewardFiles()
    started: str | None = None
    has_output: bool = False
    times: dict[str, int] = {}


class TrialFiles(msgspec.Struct, frozen=True):
    """Where one trial's evidence lies, relative to the job folder, and what it looked like."""

    logs: str | None = None
    test_stdout: str | None = None
    reward_file: str | None = None
    trajectory: str | None = None
    artifacts: str | None = None
    evidence: TaskEvidence | None = None


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is the folder's name. `key` identifies the task among the job's trials; `task` is what people call it."""

    name: str
    result: Reading
    config: Reading
    lock: Reading
    stated_name: str | None = None
    id: str | None = None
    key: tuple[str | None, ...] = ()
    task: str | None = None
    task_name: str | None = None
    source: str | None = None
    digest: str | None = None
    checksum: str | None = None
    agent: str | None = None
    agent_key: str | None = None
    model: str | None = None
    model_key: str | None = None
    uri: str | None = None
    started: str | None = None
    finished: str | None = None
    errors: tuple[Error, ...] = ()
    reward_valid: bool | None = None
    whole: Verification
    steps: tuple[Verification, ...] = ()
    tokens: Tokens = Tokens()
    files: TrialFiles = TrialFiles()

    @property
    def called(self) -> str:
        """The name by which the job's result knows the trial."""
        return self.stated_name or self.name

    @property
    def finished_ok(self) -> bool:
        """Whether there is a result that can be read."""
        return self.result.usable

    @property
    def error(self) -> Error | None:
        """The trial's own exception."""
        return next((error for error in self.errors if error.step is None), None)

    @property
    def rewards(self) -> Rewards | None:
        """The rewards of the trial, where they are valid numbers."""
        return self.whole.rewards

    @property
    def label(self) -> str:
        """The result's path, for findings."""
        return self.result.path
