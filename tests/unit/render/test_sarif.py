"""SARIF: the 2.1.0 schema, locations that a repository knows, fingerprints, the cap."""

import json

import msgspec
import pytest

from runaudit.model.finding import Place
from runaudit.model.report import Report
from runaudit.render.options import RenderOptions
from runaudit.render.sarif import render
from runaudit.render.uris import below_root, relative_uri
from tests.unit.render.reports import FAILED, OPTIONS, PASSED, assert_sarif, group, many


def run_of(report: Report, options: RenderOptions = OPTIONS) -> dict[str, object]:
    run: dict[str, object] = assert_sarif(render(report, options=options))["runs"][0]
    return run


def results_of(report: Report, options: RenderOptions = OPTIONS) -> list[dict[str, object]]:
    results = run_of(report, options)["results"]
    assert isinstance(results, list)
    return results


def test_results_rules_and_the_verdict() -> None:
    run = run_of(FAILED, msgspec.structs.replace(OPTIONS, base="runs/one"))
    assert run["invocations"] == [
        {
            "executionSuccessful": True,
            "exitCode": 1,
            "toolExecutionNotifications": [
                {"level": "note", "message": {"text": "fail: error stale-file (1)"}},
                {"level": "error", "message": {"text": "not checked: content: no permission"}},
                {"level": "note", "message": {"text": "not checked: ledger (not needed here): no Harbor job"}},
                {"level": "note", "message": {"text": f"configuration: runaudit.toml (sha256:{'0' * 64})"}},
                {"level": "note", "message": {"text": "configuration: portability: warning to note, 1 place: known"}},
                {
                    "level": "note",
                    "message": {"text": "configuration: hollow-row at **: expired on 2026-01-02, not applied"},
                },
            ],
        }
    ]
    first = results_of(FAILED, msgspec.structs.replace(OPTIONS, base="runs/one"))[0]
    assert first["level"] == "error"
    assert first["message"] == {"text": "a title (task t-1, repeat 0): m; expected 1, found 0"}
    assert first["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "runs/one/a/b.jsonl"}, "region": {"startLine": 3}}}
    ]
    assert first["properties"] == {"task_id": "t-1", "repeat": 0}


def test_rules_explain_the_findings_that_occur() -> None:
    tool = run_of(FAILED)["tool"]
    assert isinstance(tool, dict)
    rules = tool["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["stale-file", "nothing-ran", "portability"]
    definition = OPTIONS.definitions["stale-file"]
    assert rules[0] == {
        "id": "stale-file",
        "shortDescription": {"text": definition.title},
        "fullDescription": {"text": definition.meaning},
        "help": {"text": definition.remedy},
        "defaultConfiguration": {"level": "warning"},
    }


def test_a_place_that_the_repository_does_not_hold_is_attributed_to_the_folder() -> None:
    paths = ["/etc/passwd", "../../x", None]
    report = msgspec.structs.replace(PASSED, findings=(group(*(Place(path=path, message="m") for path in paths)),))
    for result in results_of(report, msgspec.structs.replace(OPTIONS, base="runs")):
        assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "runs"}}}]
    assert results_of(report)[0]["message"] == {"text": "a title: /etc/passwd: m"}


def test_fingerprints_survive_a_shift_of_lines_and_tell_places_apart() -> None:
    def prints(*places: Place) -> list[object]:
        report = msgspec.structs.replace(PASSED, findings=(group(*places),))
        return [result["partialFingerprints"] for result in results_of(report)]

    before = prints(Place(path="a", line=1), Place(path="a", line=2), Place(path="b", line=1))
    assert before == prints(Place(path="a", line=11), Place(path="a", line=12), Place(path="b", line=11))
    assert len({str(value) for value in before}) == 3


def test_the_cap_keeps_every_finding_and_says_what_was_cut() -> None:
    report = msgspec.structs.replace(PASSED, findings=(many(6000), many(2, name="portability", level="note")))
    run = json.loads(render(report, options=OPTIONS))["runs"][0]
    results = run["results"]
    assert len(results) == 5000
    assert results[1]["ruleId"] == "portability"
    assert run["invocations"][0]["toolExecutionNotifications"][0] == {
        "level": "warning",
        "message": {"text": "1,002 more findings are not listed here; the JSON report has them"},
    }


@pytest.mark.parametrize(
    ("path", "base", "expected"),
    [
        ("a/b", "", "a/b"),
        ("a/b", "runs", "runs/a/b"),
        ("../b", "runs/x", "runs/b"),
        ("../b", "", None),
        ("..", "", None),
        ("/b", "runs", None),
        ("//b", "runs", None),
        ("..b", "", "..b"),
        ("", "runs", None),
        ("b", "/abs", None),
    ],
)
def test_paths_below_the_root(path: str, base: str, expected: str | None) -> None:
    assert below_root(path, base) == expected


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/c", "a%20b/c"),
        ("x:y", "x%3Ay"),
        ("é", "%C3%A9"),
        ("\udcff", "%FF"),
        ("\ud800", "%5Cud800"),
        ("a#?%\n", "a%23%3F%25%0A"),
    ],
)
def test_uris(path: str, uri: str) -> None:
    assert relative_uri(path) == uri
