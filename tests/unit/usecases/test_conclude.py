"""The precedence of findings, checks and emptiness, and what a conclusion carries on."""

from datetime import date

import pytest

from runaudit.judge.registry import CORE, by_id
from runaudit.model.check import Check
from runaudit.model.configuration import Configuration, ConfigurationUse, LevelChange
from runaudit.model.finding import Finding, Group, Level, Place
from runaudit.model.report import Verdict, Word
from runaudit.usecases.conclude import NOTHING_JUDGED, conclude, verdict_of, worst

REGISTRY = by_id(CORE)
TODAY = date(2026, 12, 1)
OWED = Check(name="content", made=False, reason="no permission", belongs=True)
NOT_OWED = Check(name="content", made=False, reason="no summary")


def group(level: Level) -> Group:
    return Group(id="stale-file", level=level, title="t", count=2, places=(Place(path="a"), Place(path="b")))


@pytest.mark.parametrize(
    ("levels", "checks", "judged", "fail_on", "allow_empty", "word", "code"),
    [
        ([], [], 1, "error", False, "pass", 0),
        (["warning", "note"], [NOT_OWED], 1, "error", False, "pass", 0),
        (["error"], [], 1, "error", False, "fail", 1),
        (["error"], [OWED], 1, "error", False, "fail", 1),
        (["error"], [], 0, "error", False, "fail", 1),
        (["warning"], [OWED], 1, "error", False, "inconclusive", 3),
        (["warning"], [], 1, "warning", False, "fail", 1),
        (["error"], [], 1, "warning", False, "fail", 1),
        (["note"], [], 1, "warning", False, "pass", 0),
        (["note"], [], 1, "note", False, "fail", 1),
        (["error"], [], 1, None, False, "pass", 0),
        ([], [], 0, "error", False, "inconclusive", 3),
        ([], [], 0, "error", True, "pass", 0),
        ([], [OWED], 0, "error", True, "inconclusive", 3),
    ],
)
def test_precedence(  # one argument for each column of the table
    levels: list[Level],
    checks: list[Check],
    judged: int,
    fail_on: Level | None,
    allow_empty: bool,
    word: Word,
    code: int,
) -> None:
    verdict = verdict_of(
        [group(level) for level in levels], checks, judged=judged, fail_on=fail_on, allow_empty=allow_empty
    )
    assert (verdict.word, verdict.exit_code) == (word, code)


def test_a_gate_adds_its_own_reasons_to_the_same_precedence() -> None:
    assert verdict_of([group("error")], [], judged=1, failures=["mean_reward dropped"]).reasons == (
        "mean_reward dropped",
        "error stale-file (2)",
    )
    assert verdict_of([], [OWED], judged=1, failures=["x"], unsettled=["y"]) == Verdict(word="fail", reasons=("x",))
    assert verdict_of([], [], judged=1, unsettled=["too few repeats"]) == Verdict(
        word="inconclusive", reasons=("too few repeats",)
    )


def test_reasons_name_what_decided() -> None:
    assert verdict_of([group("error")], [OWED], judged=1).reasons == ("error stale-file (2)",)
    assert verdict_of([], [OWED], judged=0).reasons == ("not checked: content: no permission", NOTHING_JUDGED)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["inconclusive", "fail", "pass"], "fail"),
        ([], "inconclusive"),
    ],
)
def test_the_worst_of_several(words: list[Word], expected: Word) -> None:
    assert worst([Verdict(word=word) for word in words]).word == expected


def test_the_worst_of_several_keeps_the_reasons_of_its_word() -> None:
    told = [Verdict(word="fail", reasons=("a",)), Verdict(word="inconclusive", reasons=("b",))]
    assert worst([*told, Verdict(word="fail", reasons=("c",))]).reasons == ("a", "c")


def test_a_configured_level_decides_and_is_in_the_record() -> None:
    settings = Configuration(levels={"stale-file": "error"}, file="runaudit.toml", digest="sha256:00")
    done = conclude(
        [Finding(id="stale-file", message="m", path="a")],
        [],
        registry=REGISTRY,
        configuration=settings,
        today=TODAY,
        judged=1,
    )
    assert done.verdict == Verdict(word="fail", reasons=("error stale-file (1)",))
    assert done.findings[0].configured == "warning by default"
    assert done.configuration == ConfigurationUse(
        file="runaudit.toml",
        digest="sha256:00",
        changes=(LevelChange(id="stale-file", before="warning", after="error", count=1),),
    )


def test_a_finding_moved_by_configuration_is_not_mixed_with_one_of_that_level() -> None:
    settings = Configuration(levels={"duplicate-row": "note"}, file="c", digest="d")
    findings = [
        Finding(id="duplicate-row", message="identical bytes", level="note"),
        Finding(id="duplicate-row", message="equal rewards"),
    ]
    done = conclude(findings, [], registry=REGISTRY, configuration=settings, today=TODAY, judged=1)
    assert [(found.level, found.count, found.configured) for found in done.findings] == [
        ("note", 1, None),
        ("note", 1, "warning by default"),
    ]


def test_verify_is_stricter_where_the_registry_says_so() -> None:
    findings = [Finding(id="outside-root", message="m")]
    words = [
        conclude(
            findings,
            [],
            registry=REGISTRY,
            configuration=Configuration(),
            today=TODAY,
            judged=1,
            verifying=verifying,
        ).verdict.word
        for verifying in (False, True)
    ]
    assert words == ["pass", "fail"]


def test_a_conclusion_holds_every_place() -> None:
    findings = [Finding(id="stale-file", message="m", path=f"{number}") for number in range(30)]
    done = conclude(findings, [], registry=REGISTRY, configuration=Configuration(), today=TODAY, judged=1)
    assert len(done.findings[0].places) == 30
    assert done.configuration is None
