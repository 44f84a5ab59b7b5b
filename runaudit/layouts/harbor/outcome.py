"""What came out of one trial, in the words of a run summary.

A valid reward is a score, also beside an exception: an agent that ran out of time may have done its work. Without one,
a recorded exception is a failure and its absence is unscored. A trial without a result has left no trace of an outcome.
"""

import json
from typing import Any

import msgspec

from runaudit.layouts.harbor.rewards import scalar
from runaudit.layouts.harbor.scoring import valid
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import Number, at
from runaudit.model.task import Failure, Outcome
from runaudit.read.values import NonFinite

_PHASES = ("verifier", "agent_execution", "agent_setup", "environment_setup")
CRASHED = "verifier left no reward"
NOT_RUN = "verifier did not run"


class Verdict(msgspec.Struct, frozen=True):
    """The outcome of a trial, its reward when it is scored, and what the result said of it."""

    outcome: Outcome
    reward: Number | None = None
    recorded: Any = msgspec.UNSET
    failure: Failure | None = None


def verdict_of(trial: Trial, *, messages: bool) -> Verdict:
    """The outcome of the trial."""
    if not trial.result.present:
        return Verdict("missing")
    if not trial.result.usable:
        return Verdict("unscored")
    recorded, failure = _recorded(trial), failure_of(trial, messages=messages)
    if valid(trial):
        reward = scalar(trial.rewards)
        outcome: Outcome = "scored" if reward is not None else "unscored"
        return Verdict(outcome, reward, recorded, failure)
    return Verdict("failed" if failure is not None else "unscored", None, recorded, failure)


def _recorded(trial: Trial) -> Any:
    """What the result says: the number, or as text all of them where there is no one, and what is no number."""
    stated = trial.whole.recorded
    if stated is None:
        return msgspec.UNSET
    only = scalar(trial.rewards)
    if only is not None:
        return only
    if trial.rewards:
        return json.dumps(trial.rewards, sort_keys=True)
    inner = next(iter(stated.values())) if isinstance(stated, dict) and len(stated) == 1 else stated
    if isinstance(inner, NonFinite):
        return inner.text
    return inner if isinstance(inner, bool | None) else str(inner)[:200].encode("utf-8", "backslashreplace").decode()


def failure_of(trial: Trial, *, messages: bool) -> Failure | None:
    """The trial's exception, else the first one of its steps; None when there was none."""
    error = trial.error or next(iter(trial.errors), None)
    if error is None:
        return None
    return Failure(
        failure_class=error.kind,
        kind=_kind(trial),
        stage=error.step or _stage(trial.result.value),
        attempts=1,
        message=error.message if messages else None,
    )


def _kind(trial: Trial) -> str | None:
    if trial.whole.recorded is not None:
        return None
    ran = any(one.has_output or one.files.present for one in (trial.whole, *trial.steps))
    return CRASHED if ran or at(trial.result.value, "verifier") is not None else NOT_RUN


def _stage(result: dict[str, Any]) -> str | None:
    """The last phase that was reached."""
    return next((phase for phase in _PHASES if isinstance(result.get(phase), dict)), None)
