"""The report for a program: order, strictness, the schema."""

import json
import math

import msgspec
import pytest

from runaudit.model.report import Verdict, Word
from runaudit.render.json_report import render
from tests.unit.render.reports import FAILED, OPTIONS, PASSED, assert_envelope, many


@pytest.mark.parametrize("report", [FAILED, PASSED])
def test_reports_satisfy_the_published_schema(report: object) -> None:
    assert_envelope(render(FAILED if report is FAILED else PASSED, options=OPTIONS))


def test_the_envelope_comes_first_in_stable_order() -> None:
    value = json.loads(render(FAILED, options=OPTIONS))
    assert list(value) == [
        "kind",
        "version",
        "subject",
        "verdict",
        "exit_code",
        "reasons",
        "checks",
        "findings",
        "configuration",
        "tasks",
        "share",
    ]
    assert value["findings"][0] == {
        "id": "stale-file",
        "level": "error",
        "title": "a title",
        "count": 1,
        "places": [
            {
                "path": "a/b.jsonl",
                "line": 3,
                "repeat": 0,
                "task_id": "t-1",
                "message": "m",
                "expected": "1",
                "found": "0",
            }
        ],
    }


@pytest.mark.parametrize(("word", "code"), [("pass", 0), ("fail", 1), ("inconclusive", 3)])
def test_the_exit_code_is_the_verdict(word: Word, code: int) -> None:
    report = msgspec.structs.replace(PASSED, verdict=Verdict(word=word))
    assert assert_envelope(render(report, options=OPTIONS))["exit_code"] == code


def test_twenty_places_or_every_one() -> None:
    report = msgspec.structs.replace(PASSED, findings=(many(30),))
    first = assert_envelope(render(report, options=OPTIONS))["findings"][0]
    assert (first["count"], len(first["places"])) == (30, 20)
    every = render(report, options=msgspec.structs.replace(OPTIONS, every_place=True))
    assert len(assert_envelope(every)["findings"][0]["places"]) == 30


def test_what_json_cannot_say_stands_as_text() -> None:
    body = {"nan": math.nan, "up": math.inf, "down": -math.inf, "big": 1 << 70, "name": "a\udcff", "fine": [1, 0.5]}
    value = assert_envelope(render(msgspec.structs.replace(PASSED, body=body), options=OPTIONS))
    assert {key: value[key] for key in body} == {
        "nan": "NaN",
        "up": "Infinity",
        "down": "-Infinity",
        "big": str(1 << 70),
        "name": "a\\udcff",
        "fine": [1, 0.5],
    }


def test_terminal_controls_are_escaped_and_mean_the_same() -> None:
    name = "\x1b[2J\x7f\x9b\u202e\U000e0001##[error]é😀"
    text = render(msgspec.structs.replace(PASSED, body={"name": name}), options=OPTIONS)
    assert all(line.isprintable() for line in text.splitlines())
    assert "##[" not in text
    assert "é😀" in text
    assert json.loads(text)["name"] == name


def test_a_field_that_hides_one_of_the_envelope_is_refused() -> None:
    with pytest.raises(ValueError, match="verdict"):
        render(msgspec.structs.replace(PASSED, body={"verdict": "pass"}), options=OPTIONS)
