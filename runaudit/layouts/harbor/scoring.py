"""Harbor's two scoring rules, computed from the trials: means and pass@k with invalid rewards as zero, or left out.

Up to 0.25 a trial without rewards counts as 0 in the mean and as a failure in pass@k; from 0.26 a trial without a valid
reward enters neither. Equal outcomes then have two headlines, and both are right by their own rule.
"""

from typing import Any

import msgspec

from runaudit.layouts.harbor.names import evals_key
from runaudit.layouts.harbor.rewards import Rewards, as_rewards
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import Number


class Score(msgspec.Struct, frozen=True):
    """What one rule makes of a group: how many trials enter, the metric by name, pass@k by k. Empty: none."""

    n: int
    metric: dict[str, float]
    pass_at_k: dict[str, float]


class Group(msgspec.Struct, frozen=True):
    """The trials that Harbor scores together, under both rules."""

    key: str
    source: str
    trials: tuple[Trial, ...]
    as_zero: Score
    left_out: Score

    def by(self, drops: bool) -> Score:
        """The score by the rule that leaves invalid rewards out, or by the other one."""
        return self.left_out if drops else self.as_zero

    @property
    def rules_differ(self) -> bool:
        """Whether the two rules give different headlines."""
        return self.as_zero.metric != self.left_out.metric or self.as_zero.pass_at_k != self.left_out.pass_at_k


def valid(trial: Trial) -> bool:
    """Whether the trial has a reward that is a measurement: numbers, and not declared invalid by the writer."""
    if not trial.rewards or trial.reward_valid is False:
        return False
    return all(error.counts is not False for error in trial.errors)


def groups_of(trials: list[Trial]) -> list[Group]:
    """The groups by Harbor's key, in order. Trials without a readable result belong to none."""
    by_key: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        if trial.finished_ok and trial.agent is not None:
            key = evals_key(trial.agent, trial.model, trial.source)
            by_key.setdefault((key, trial.source or "adhoc"), []).append(trial)
    return [
        Group(key, source, tuple(members), _as_zero(members), _left_out(members))
        for (key, source), members in sorted(by_key.items())
    ]


def _as_zero(trials: list[Trial]) -> Score:
    return _score([(trial.task or "", as_rewards(trial.whole.recorded)) for trial in trials])


def _left_out(trials: list[Trial]) -> Score:
    return _score([(trial.task or "", trial.rewards) for trial in trials if valid(trial)])


def _score(pairs: list[tuple[str, Rewards | None]]) -> Score:
    rewards = [reward for _, reward in pairs]
    return Score(len(pairs), _metric(rewards), _pass_at_k(pairs))


def _metric(rewards: list[Rewards | None]) -> dict[str, float]:
    """The mean under the name `mean` where there is one reward only, else by name."""
    if not rewards:
        return {}
    keys = sorted({key for reward in rewards if reward is not None for key in reward})
    if len(keys) <= 1:
        return {"mean": _mean([next(iter(reward.values()), 0) if reward else 0 for reward in rewards])}
    return {key: _mean([reward.get(key, 0) if reward else 0 for reward in rewards]) for key in keys}


def _mean(values: list[Number]) -> float:
    return sum(values) / len(values)


def _pass_at_k(pairs: list[tuple[str, Rewards | None]]) -> dict[str, float]:
    """The unbiased estimate, averaged over tasks; empty unless every trial has one reward that is 0 or 1."""
    successes: dict[str, list[int]] = {}
    for task, reward in pairs:
        values: list[Any] = [0] if reward is None else list(reward.values())
        if len(values) != 1 or values[0] not in (0, 1):
            return {}
        successes.setdefault(task, []).append(int(values[0]))
    if not successes:
        return {}
    most = min(len(trials) for trials in successes.values())
    return {
        str(k): sum(_estimate(len(trials), sum(trials), k) for trials in successes.values()) / len(successes)
        for k in _ks(most)
    }


def _ks(most: int) -> list[int]:
    powers = (2**exponent for exponent in range(1, most.bit_length()))
    return sorted({k for k in (*powers, *range(5, most + 1, 5)) if k <= most})


def _estimate(trials: int, passed: int, k: int) -> float:
    if trials - passed < k:
        return 1.0
    failing = 1.0
    for drawn in range(k):
        failing *= (trials - passed - drawn) / (trials - drawn)
    return 1.0 - failing
