"""The default gate on noise alone, and on a real drop: a small, seeded part of benchmarks/gate_power.py."""

import math

from benchmarks.gate_power import share

PAIRS = 100


def test_noise_alone_fails_at_most_five_percent_of_the_time() -> None:
    assert share(0.5, 0, PAIRS) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / PAIRS)


def test_a_drop_of_twenty_points_is_seen_nearly_always() -> None:
    assert share(0.5, 20, PAIRS) > 0.9
