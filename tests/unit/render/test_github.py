"""Workflow commands: escaping, the cap and what it says, the step summary."""

import msgspec
import pytest

from runaudit.model.finding import Place
from runaudit.model.report import Verdict
from runaudit.render.github import Annotation, command, render, step_summary
from tests.unit.render.reports import FAILED, OPTIONS, PASSED, group, many


def test_a_whole_report() -> None:
    assert render(FAILED, options=msgspec.structs.replace(OPTIONS, base="runs")).splitlines() == [
        "FAIL verification of results (exit 1)",
        "::error title=runaudit%3A fail::error stale-file (1)",
        "::error file=runs/a/b.jsonl,line=3,title=stale-file%3A a title::m; expected 1, found 0",
        "::warning title=nothing-ran%3A a title::nothing about a file",
        "::notice title=portability%3A a title::/abs at byte 7",
    ]


@pytest.mark.parametrize(
    ("text", "as_property", "as_message"),
    [
        ("50%", "50%25", "50%25"),
        ("a:b,c", "a%3Ab%2Cc", "a:b,c"),
        ("a\rb", "a\\rb", "a\\rb"),
        ("a\x1bb", "a\\x1bb", "a\\x1bb"),
        ("x;y", "x;y", "x;y"),
        ("%0A::error::x", "%250A%3A%3Aerror%3A%3Ax", "%250A::error::x"),
    ],
)
def test_escaping(text: str, as_property: str, as_message: str) -> None:
    entry = Annotation(kind="error", title=text, message=text)
    assert command(entry) == f"::error title={as_property}::{as_message}"


def test_a_message_of_several_lines_is_one_command() -> None:
    assert command(Annotation(kind="error", title="t", message="a\nb")) == "::error title=t::a%0Ab"


def test_ten_of_a_kind_every_finding_first_and_the_last_says_what_was_cut() -> None:
    groups = (many(30), many(5, name="wrong-type"), many(3, name="portability", level="note"))
    lines = render(msgspec.structs.replace(PASSED, findings=groups), options=OPTIONS).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == 10
    assert "stale-file%3A a title (and at 29 more)" in errors[0]
    assert "wrong-type%3A a title (and at 4 more)" in errors[1]
    assert errors[9] == (
        "::error title=runaudit%3A more findings::26 more of this kind are not shown here. The report has all of them."
    )
    assert len([line for line in lines if line.startswith("::notice ")]) == 3


def test_ten_are_shown_without_a_notice() -> None:
    lines = render(msgspec.structs.replace(PASSED, findings=(many(10),)), options=OPTIONS).splitlines()
    assert len(lines) == 11
    assert "not shown" not in lines[-1]


def test_places_that_the_report_does_not_hold_count_as_cut() -> None:
    groups = tuple(group(Place(path="a"), name=f"finding-{at}", count=100) for at in range(12))
    lines = render(msgspec.structs.replace(PASSED, findings=groups), options=OPTIONS).splitlines()
    assert lines[-1].endswith("::300 more of this kind are not shown here. The report has all of them.")


def test_a_verdict_without_findings_still_shows() -> None:
    report = msgspec.structs.replace(PASSED, verdict=Verdict(word="inconclusive", reasons=("a", "b")))
    assert "::error title=runaudit%3A inconclusive::a%0Ab\n" in render(report, options=OPTIONS)


def test_the_step_summary_is_bounded() -> None:
    report = msgspec.structs.replace(PASSED, findings=(group(*(Place(message="x" * 4000) for _ in range(400))),))
    options = msgspec.structs.replace(OPTIONS, every_place=True)
    text = step_summary(report, options=options)
    assert 1_000_000 < len(text.encode()) < 1 << 20
    assert "Left out" in text
    assert len(step_summary(report, options=options, limit=5000).encode()) < 5000
