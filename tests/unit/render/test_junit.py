"""JUnit: what is a failure, an error, a skip; green exactly when the exit code is 0; the schema."""

from xml.etree import ElementTree as ET

import msgspec
import pytest

from runaudit.model.report import Case, Report, Verdict, Word
from runaudit.render.junit import render
from tests.unit.render.reports import FAILED, OPTIONS, PASSED, assert_junit, many


def outcomes(report: Report) -> dict[str, str]:
    text = render(report, options=OPTIONS)
    assert_junit(text)
    root = ET.fromstring(text)  # noqa: S314  # our own output
    return {
        f"{case.get('classname')} {case.get('name')}": case[0].tag if len(case) else "pass"
        for case in root.iter("testcase")
    }


def test_checks_failing_findings_cases_and_the_verdict_are_test_cases() -> None:
    assert outcomes(FAILED) == {
        "runaudit.verification verdict": "failure",
        "runaudit.checks names": "pass",
        "runaudit.checks content": "error",
        "runaudit.checks ledger": "skipped",
        "runaudit.findings stale-file": "failure",
        "runaudit.tasks t": "failure",
    }


def test_the_totals_are_those_of_the_cases() -> None:
    suite = ET.fromstring(render(FAILED, options=OPTIONS))[0]  # noqa: S314  # our own output
    assert suite.attrib == {
        "name": "runaudit verification",
        "tests": "6",
        "failures": "3",
        "errors": "1",
        "skipped": "1",
    }
    output = suite.findtext("system-out") or ""
    assert "warning nothing-ran: a title, 1 place" in output
    assert "stale-file: a title" not in output
    assert "portability: warning to note" in output


def test_the_failing_level_decides_what_fails() -> None:
    report = msgspec.structs.replace(FAILED, fail_on="warning")
    assert outcomes(report)["runaudit.findings nothing-ran"] == "failure"
    assert "runaudit.findings stale-file" not in outcomes(msgspec.structs.replace(FAILED, fail_on=None))


@pytest.mark.parametrize(("word", "tag"), [("pass", "pass"), ("fail", "failure"), ("inconclusive", "error")])
def test_the_verdict_alone_turns_the_suite_red(word: Word, tag: str) -> None:
    report = msgspec.structs.replace(PASSED, verdict=Verdict(word=word))
    assert outcomes(report) == {"runaudit.verification verdict": tag}


def test_a_case_that_could_not_be_judged_is_an_error() -> None:
    report = msgspec.structs.replace(PASSED, cases=(Case(suite="tasks", name="t", outcome="could-not-judge"),))
    assert outcomes(report)["runaudit.tasks t"] == "error"


def test_a_failure_lists_twenty_places_and_counts_the_rest() -> None:
    report = msgspec.structs.replace(PASSED, findings=(many(25),))
    text = render(report, options=OPTIONS)
    assert_junit(text)
    assert text.count("changed") == 20
    assert "5 more (--all)" in text
