"""The metrics of a comparison: which ones, and over which tasks of each side."""

from collections.abc import Sequence

from runaudit.compare.change import Change
from runaudit.compare.metric_names import METRICS
from runaudit.compare.metrics import Measured, Metric, Value, flips_between, metric, side_metrics
from runaudit.compare.pairing import Pair
from runaudit.compare.policy import Policy

_OF_BOTH = "flip_rate_between"
_NOTHING = Value(None, 0)


def metrics_of(
    changes: Sequence[Change], pairs: Sequence[Pair], policy: Policy, repeats: tuple[int | None, int | None]
) -> tuple[Metric, ...]:
    """The metrics, those that the policy names after the usual ones.

    Coverage is of the whole run on both sides: over tasks that both scored it would hide what was lost.
    """
    k = min((r for r in repeats if r is not None), default=None)
    names = _names(policy, k)
    whole = [_measured(changes, pairs, candidate=side, whole=True) for side in (False, True)]
    # Most comparisons leave no task out; a hundred thousand tasks need not be gone through twice.
    everything = all(change.compared for change in changes)
    compared = (
        whole if everything else [_measured(changes, pairs, candidate=side, whole=False) for side in (False, True)]
    )
    parts = [
        _both(part, all_of_it, [name for name in names if name != _OF_BOTH], k)
        for part, all_of_it in zip(compared, whole, strict=True)
    ]
    found = []
    for name in names:
        if name == _OF_BOTH:
            between = flips_between(zip(compared[0].tallies, compared[1].tallies, strict=True))
            found.append(metric(name, (_NOTHING, between), (_NOTHING, between)))
            continue
        values = [(part[name], all_of_it[name]) for part, all_of_it in parts]
        both = 1 if name == "coverage" else 0
        found.append(metric(name, (values[0][both], values[1][both]), (values[0][1], values[1][1])))
    return tuple(found)


def _both(
    part: Measured, whole: Measured, names: Sequence[str], k: int | None
) -> tuple[dict[str, Value], dict[str, Value]]:
    all_of_it = side_metrics(whole, names, k)
    return (all_of_it if part is whole else side_metrics(part, names, k)), all_of_it


def _measured(changes: Sequence[Change], pairs: Sequence[Pair], *, candidate: bool, whole: bool) -> Measured:
    rows = [
        (change.candidate, pair.candidate) if candidate else (change.baseline, pair.baseline)
        for change, pair in zip(changes, pairs, strict=True)
        if not change.quarantined and (whole or change.compared)
    ]
    tallies = [tally for tally, _ in rows if tally is not None]
    return Measured(tallies, [attempt for _, attempts in rows for attempt in attempts])


def _names(policy: Policy, k: int | None) -> list[str]:
    usual = [m.name for m in METRICS]
    passing = ["pass@1"] + ([f"pass@{k}", f"pass^{k}"] if k is not None and k > 1 else [])
    return list(dict.fromkeys([*usual[:2], *passing, *usual[2:], *(real_name(name, k) for name in policy.metrics)]))


def real_name(name: str, k: int | None) -> str:
    """The metric that a policy's name means: `pass@k` with the number of repeats that both runs have."""
    return f"{name[:-1]}{k or 1}" if name in ("pass@k", "pass^k") else name
