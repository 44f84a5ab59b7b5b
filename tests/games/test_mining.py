"""Rewards out of job logs: counts are right, or they are lower bounds that say so."""

import math

import pytest

from runaudit.layouts.games.mining import JobLog, mine
from runaudit.layouts.games.overlap import without_repeats

GAME = "/scratch/run/game_00000_000_optimization.py"


def line(*rewards: float) -> str:
    return f"[COLLECT] stats: {{'game': {{{GAME!r}: {list(rewards)!r}}}, 'skill': {{}}}}"


def rewards(log: JobLog) -> list[float]:
    return [reward for entry in log.entries for reward in entry.rewards.get(GAME, ())]


def ids(log: JobLog) -> list[str]:
    return [finding.id for finding in log.findings]


def test_escape_codes_prefixes_and_progress_bars_do_not_hide_an_entry() -> None:
    coloured = line(0.5, 1.0).replace("0.5", "\x1b[31m0.5\x1b[0m")
    log = mine("j", [f"\x1b[36m(Trainer pid=7, ip=10.0.0.2)\x1b[0m {coloured}\r\n", "\r 40%|####  |" + line(0.25)])
    assert rewards(log) == [0.5, 1.0, 0.25]
    assert (log.findings, log.lower_bound) == ((), ())


def test_a_wrapped_entry_goes_on_in_the_lines_of_its_own_worker() -> None:
    text = line(0.125, 0.75)
    at = text.index("0.125") + 3
    log = mine(
        "j",
        [
            f"(A pid=1) {text[:at]}",
            "(B pid=2) " + line(1.0),
            "(C pid=3) it's an unbalanced { quote",
            f"(A pid=1) {text[at:]}",
        ],
    )
    assert rewards(log) == [0.125, 0.75, 1.0]
    assert [entry.line for entry in log.entries] == [1, 2]
    assert log.lower_bound == ()


@pytest.mark.parametrize("after", [[], [line(0.5)], ["(A pid=1) other text"]])
def test_a_cut_entry_is_named_and_makes_counts_lower_bounds(after: list[str]) -> None:
    log = mine("j", ["noise", line(0.25, 1.0)[:-40], *after])
    assert rewards(log) == [0.5] * (after == [line(0.5)])
    assert ids(log) == ["games-log-truncated"]
    assert log.findings[0].line == 2
    assert log.lower_bound


@pytest.mark.parametrize(("first", "says"), [("nothing", "in its 2 lines"), ("[\0C\0O\0", "UTF-16")])
def test_a_log_without_any_entry_is_named(first: str, says: str) -> None:
    log = mine("j", [first, "nothing"])
    assert ids(log) == ["games-log-empty"]
    assert says in log.findings[0].message


def test_two_entries_on_one_line_are_two() -> None:
    assert rewards(mine("j", [line(0.25) + line(0.5)])) == [0.25, 0.5]


def test_nan_and_infinity_are_rewards() -> None:
    found = rewards(mine("j", [line(math.nan, math.inf, -math.inf, 1.0)]))
    assert math.isnan(found[0])
    assert found[1:] == [math.inf, -math.inf, 1.0]


def test_a_call_is_refused_and_named() -> None:
    log = mine("j", [line(1.0).replace("1.0", "np.float64(1.0)"), line(0.5)])
    assert rewards(log) == [0.5]
    assert ids(log) == ["games-log-unreadable"]
    assert "np.float64" in log.findings[0].message
    assert log.lower_bound == ("the entry on line 1 cannot be read",)


@pytest.mark.parametrize(
    "text",
    ["{'skill': {}}", "[1]", "{'game': {'/a/game_1_1_x.py': [True]}}", "{'game': {'/a': 3}}", "{'game': {1: [1]}}"],
)
def test_an_entry_of_another_shape_is_named(text: str) -> None:
    assert ids(mine("j", [f"[COLLECT] stats: {text}"])) == ["games-log-unreadable"]


def test_rays_repetition_mark_makes_a_lower_bound() -> None:
    log = mine("j", [f"(A pid=1) {line(0.5)}\x1b[32m [repeated 7x across cluster]\x1b[0m (Ray deduplicates logs)"])
    assert rewards(log) == [0.5]
    assert ids(log) == ["games-log-folded"]
    assert "one of 7" in log.lower_bound[0]


@pytest.mark.parametrize(
    ("lines", "cap"),
    [
        (["noise"] * 19_999 + [line(1.0)], None),
        (["noise"] * 29 + [line(1.0)], 30),
        (["--- Log has been truncated to last 5 lines. Use --tail ---", line(1.0)], None),
        ([line(0.5, 1.0)[60:], line(1.0)], None),
    ],
)
def test_a_log_that_lost_its_beginning_says_so(lines: list[str], cap: int | None) -> None:
    log = mine("j", lines, cap=cap)
    assert rewards(log) == [1.0]
    assert ids(log) == ["games-log-truncated"]
    assert log.lower_bound


def test_a_log_of_an_ordinary_length_is_whole() -> None:
    assert mine("j", ["noise"] * 19_998 + [line(1.0)]).lower_bound == ()


def test_the_same_entry_twice_in_one_log_is_counted_and_named() -> None:
    log = mine("j", [line(0.5), "noise", line(0.5)])
    assert rewards(log) == [0.5, 0.5]
    assert [(finding.id, finding.line) for finding in log.findings] == [("games-log-repeated", 3)]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("ABC", "xABCyD", ["ABC", "xyD"]),
        ("xABCy", "ABC", ["xABCy", ""]),
        ("ABCD", "CDEF", ["ABCD", "EF"]),
        ("CDEF", "ABCD", ["CDEF", "AB"]),
        ("AB", "CD", ["AB", "CD"]),
        ("", "AB", ["", "AB"]),
    ],
)
def test_a_log_that_repeats_another_is_counted_once(first: str, second: str, kept: list[str]) -> None:
    logs = [mine(name, [line(ord(c)) for c in text]) for name, text in (("one", first), ("two", second))]
    left, findings = without_repeats(logs)
    assert ["".join(chr(int(reward)) for reward in rewards(log)) for log in left] == kept
    assert [finding.id for finding in findings] == ["games-log-repeated"] * (kept != [first, second])
