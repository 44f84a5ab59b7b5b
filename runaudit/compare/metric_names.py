"""The names of the run-level metrics, which direction is better, and what their denominators count.

`pass@k` is the chance that at least one of k attempts at a task passes, `pass^k` that all k do; both are the unbiased
estimates from c passes in n scored attempts, averaged over tasks. In a policy `k` itself may stand for the number of
repeats that the runs have.
"""

import re
from typing import Literal

import msgspec

Better = Literal["higher", "lower", "neither"]
Unit = Literal["attempts", "tasks"]

_PASS = re.compile(r"pass([@^])([1-9][0-9]{0,3}|k)\Z")


class MetricName(msgspec.Struct, frozen=True):
    """A metric: its name, the better direction, what its `n` counts, and a line for a person."""

    name: str
    better: Better
    unit: Unit
    meaning: str


METRICS: tuple[MetricName, ...] = (
    MetricName("mean_reward", "higher", "attempts", "mean reward over scored attempts"),
    MetricName("mean_reward_over_tasks", "higher", "tasks", "mean over tasks of each task's mean reward"),
    MetricName("flip_rate", "lower", "tasks", "chance that two attempts of one run at one task disagree"),
    MetricName("flip_rate_between", "lower", "tasks", "chance that a baseline and a candidate attempt disagree"),
    MetricName("coverage", "higher", "attempts", "scored attempts of all selected, of the whole run"),
    MetricName("input_tokens", "lower", "attempts", "mean input tokens of an attempt"),
    MetricName("output_tokens", "lower", "attempts", "mean output tokens of an attempt"),
    MetricName("total_tokens", "lower", "attempts", "mean tokens of an attempt"),
    MetricName("cost_usd", "lower", "attempts", "mean cost of an attempt in US dollars"),
    MetricName("seconds", "lower", "attempts", "mean seconds of an attempt"),
)


def known_metrics() -> tuple[str, ...]:
    """The names that a policy may use; `pass@` and `pass^` take any number of attempts."""
    return (*(m.name for m in METRICS), "pass@1", "pass@k", "pass^k")


def is_metric(name: str) -> bool:
    """Whether there is a metric of that name."""
    return _PASS.match(name) is not None or any(m.name == name for m in METRICS)


def pass_metric(name: str) -> tuple[str, int | None] | None:
    """The mark (`@` or `^`) and k of a pass metric, k None where the name says `k`; None for other metrics."""
    match = _PASS.match(name)
    if match is None:
        return None
    return match[1], None if match[2] == "k" else int(match[2])


def better_of(name: str) -> Better:
    """Which direction of a metric is better."""
    return next((m.better for m in METRICS if m.name == name), "higher")


def unit_of(name: str) -> Unit:
    """What the denominator of a metric counts."""
    return next((m.unit for m in METRICS if m.name == name), "tasks")
