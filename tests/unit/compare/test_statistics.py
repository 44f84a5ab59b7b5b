"""The tests and intervals against full enumeration, and against SciPy on seeded pairs."""

import itertools
import math
from random import Random

import numpy as np
import pytest
from scipy import stats

from runaudit.compare.exact import holm, mcnemar
from runaudit.compare.resample import FLIPS, MOST_DISTINCT, RESAMPLES, binomial, bootstrap, sign_flip
from tests.unit.compare.build import compared, summary

PAIRS = 200


def third(source: Random, shift: float) -> float:
    """A difference of two means over three pass/fail repeats."""
    return (sum(source.random() < 0.5 + shift for _ in range(3)) - sum(source.random() < 0.5 for _ in range(3))) / 3


@pytest.mark.parametrize("tasks", range(1, 13))
def test_sign_flip_equals_full_enumeration(tasks: int) -> None:
    source = Random(tasks)
    differences = [third(source, 0.2) for _ in range(tasks)]
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=tasks)
    ]
    expected = sum(s >= observed - 1e-12 for s in sums) / len(sums)
    found = sign_flip(differences, Random(0))
    assert found.exact
    assert found.p_value == pytest.approx(expected, abs=1e-15)


def test_mcnemar_equals_full_enumeration_up_to_twelve() -> None:
    for worse in range(13):
        for better in range(13 - worse):
            flips = worse + better
            outcomes = [sum(o) for o in itertools.product((0, 1), repeat=flips)]
            far = abs(worse - flips / 2)
            expected = sum(abs(o - flips / 2) >= far for o in outcomes) / len(outcomes)
            assert mcnemar(worse, better) == pytest.approx(expected, abs=1e-15)


def test_mcnemar_equals_scipy() -> None:
    source = Random(1)
    for scale in (20, 300, 4000, 90_000):
        for _ in range(PAIRS // 4):
            worse, better = source.randrange(scale), source.randrange(1, scale)
            expected = stats.binomtest(worse, worse + better).pvalue
            assert mcnemar(worse, better) == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_sign_flip_equals_scipy() -> None:
    source = Random(2)
    for number in range(PAIRS):
        tasks = source.randrange(2, 8)
        differences = [third(source, 0.2) if number % 2 else source.gauss(0.5, 1) for _ in range(tasks)]
        oracle = stats.permutation_test(
            (np.array(differences),), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
        )
        assert sign_flip(differences, Random(0)).p_value == pytest.approx(oracle.pvalue, abs=1e-12)


def test_drawn_sign_flips_agree_with_the_exact_distribution() -> None:
    """Means over three repeats are thirds, so all sums can be counted by convolution (five standard errors)."""
    source, drawn = Random(6), 0
    for number in range(PAIRS // 2):
        differences = [third(source, source.choice((0.0, 0.1, 0.2))) for _ in range(source.randrange(20, 200))]
        steps = [round(3 * d) for d in differences if d]
        ways = np.ones(1)
        for step in steps:
            signs = np.zeros(2 * abs(step) + 1)
            signs[[0, -1]] = 0.5
            ways = np.convolve(ways, signs)
        sums = np.arange(len(ways)) - len(ways) // 2
        exact = float(ways[np.abs(sums) >= abs(sum(steps))].sum())
        rounded = [round(d, 12) for d in differences]
        found = sign_flip(rounded, Random(number)).p_value
        drawn += not sign_flip(rounded, Random(number)).exact
        assert abs(found - exact) < 5 * math.sqrt(max(exact * (1 - exact), 1e-3) / FLIPS) + 1 / FLIPS
    assert drawn > PAIRS / 8


def test_interval_agrees_with_scipy() -> None:
    """Both draw at random, so they agree within the errors of their percentiles (five standard errors)."""
    source = Random(7)
    for number in range(PAIRS):
        tasks = source.randrange(13, 40)
        differences = [third(source, 0.1) if number % 2 else source.gauss(0.1, 1) for _ in range(tasks)]
        found = bootstrap(differences, Random(number))
        assert found is not None
        oracle = stats.bootstrap(
            (np.array(differences),),
            np.mean,
            n_resamples=RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(number),
            vectorized=True,
        ).confidence_interval
        # The density of a normal curve at its 2.5 % point turns the error of a share into one of the percentile.
        spread = float(np.std(differences)) / math.sqrt(tasks)
        most = 5 * spread * math.sqrt(0.025 * 0.975 * 2 / RESAMPLES) / 0.0584 + 1 / (3 * tasks)
        assert abs(found.low - oracle.low) < most
        assert abs(found.high - oracle.high) < most


@pytest.mark.parametrize("distinct", [False, True])
def test_many_tasks_agree_with_the_normal_limit(distinct: bool) -> None:
    source = Random(3)
    tasks = 12_000
    differences = [source.gauss(0.02, 1) if distinct else third(source, 0.005) for _ in range(tasks)]
    found = sign_flip(differences, Random(0))
    interval = bootstrap(differences, Random(0))
    assert interval is not None
    assert found.cells is distinct
    assert interval.cells is distinct
    mean, spread = float(np.mean(differences)), float(np.std(differences)) / math.sqrt(tasks)
    expected = 2 * stats.norm.sf(abs(mean) / spread)
    assert found.p_value == pytest.approx(expected, abs=5 * math.sqrt(expected / found.draws) + 2 / found.draws)
    assert interval.low == pytest.approx(mean - 1.96 * spread, abs=0.35 * spread)
    assert interval.high == pytest.approx(mean + 1.96 * spread, abs=0.35 * spread)


def test_binomial_draws_follow_the_distribution() -> None:
    source = Random(4)
    for n, share in ((12, 0.3), (40, 0.05), (7, 0.5)):
        draws = [binomial(n, share, source) for _ in range(4000)]
        cells = [k for k in range(n + 1) if stats.binom.pmf(k, n, share) * 4000 >= 5]
        seen = [draws.count(k) for k in cells]
        expected = [stats.binom.pmf(k, n, share) * 4000 for k in cells]
        rest, seen_rest = 4000 - sum(expected), 4000 - sum(seen)
        chi = sum((s - e) ** 2 / e for s, e in zip(seen, expected, strict=True))
        chi += (seen_rest - rest) ** 2 / max(rest, 1)
        assert stats.chi2.sf(chi, len(cells)) > 1e-4


def test_many_equal_magnitudes_are_drawn_and_few_are_counted() -> None:
    assert sign_flip([1.0] * 600 + [-1.0] * 400, Random(0)).exact
    many = sign_flip([1.0] * 4600 + [-1.0] * 4500, Random(0))
    assert not many.exact
    assert many.p_value == pytest.approx(mcnemar(4500, 4600), abs=5 * math.sqrt(0.21 / many.draws))


def test_no_difference_is_no_evidence() -> None:
    assert sign_flip([0.0] * 50, Random(0)).p_value == 1.0
    assert sign_flip([], Random(0)).p_value == 1.0
    assert bootstrap([], Random(0)) is None
    flat = bootstrap([0.0] * 50, Random(0))
    assert flat is not None
    assert (flat.low, flat.high) == (0.0, 0.0)
    assert mcnemar(0, 0) == 1.0


def test_the_same_seed_gives_the_same_result() -> None:
    source = Random(5)
    differences = [source.gauss(0, 1) for _ in range(MOST_DISTINCT + 40)]
    assert sign_flip(differences, Random(9)) == sign_flip(differences, Random(9))
    assert bootstrap(differences, Random(9)) == bootstrap(differences, Random(9))
    assert bootstrap(differences, Random(9)) != bootstrap(differences, Random(10))


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5]) == (0.5,)
    assert holm([]) == ()
    assert holm([0.9, 0.8]) == (1.0, 1.0)


def test_one_repeat_of_partial_credit_takes_the_rewards() -> None:
    """Where the pass is not known, flips cannot be counted."""
    before = {f"t{i}": [5.0] for i in range(4)}
    found = compared(before, {f"t{i}": [4.0] for i in range(4)}).test
    assert (found.name, found.p_value) == ("mcnemar", 1.0)
    unknown = [dict(e, passed=None) for e in summary(before)["tasks"]]
    lower = [dict(e, reward=4.0) for e in unknown]
    found = compared(unknown, lower).test
    assert (found.name, found.exact, found.p_value, found.worse) == ("sign-flip", True, 0.125, 4)
