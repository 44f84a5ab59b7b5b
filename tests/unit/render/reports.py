"""Small builders of reports, and the schemas that rendered ones must satisfy."""

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import xmlschema
from jsonschema import Draft4Validator, Draft202012Validator
from jsonschema.protocols import Validator

from runaudit.judge.registry import CORE, by_id
from runaudit.model.check import Check
from runaudit.model.configuration import ConfigurationUse, KnownFinding, LevelChange
from runaudit.model.finding import Group, Level, Place
from runaudit.model.report import Case, Report, Verdict
from runaudit.render.options import RenderOptions

HERE = Path(__file__)
ROOT = HERE.parents[3]
OPTIONS = RenderOptions(definitions=by_id(CORE), tool_version="1.2.3")


def group(
    *places: Place, name: str = "stale-file", level: Level = "error", count: int | None = None, title: str = "a title"
) -> Group:
    return Group(id=name, level=level, title=title, count=len(places) if count is None else count, places=places)


def many(number: int, name: str = "stale-file", level: Level = "error") -> Group:
    return group(*(Place(path=f"file{at:05}", message="changed") for at in range(number)), name=name, level=level)


FAILED = Report(
    kind="verification",
    version=1,
    subject="results",
    verdict=Verdict(word="fail", reasons=("error stale-file (1)",)),
    checks=(
        Check(name="names", made=True, count=3),
        Check(name="content", made=False, reason="no permission", belongs=True),
        Check(name="ledger", made=False, reason="no Harbor job"),
    ),
    findings=(
        group(Place(path="a/b.jsonl", line=3, task_id="t-1", repeat=0, message="m", expected="1", found="0")),
        group(Place(message="nothing about a file"), name="nothing-ran", level="warning"),
        group(Place(path="/abs", offset=7), name="portability", level="note"),
    ),
    body={"tasks": ({"task_id": "t", "class": "same"},), "share": 0.5},
    headline=("3 files, 2 tasks",),
    sections=(("Integrity", ("names   3", "content 0")),),
    cases=(Case(suite="tasks", name="t", outcome="fail", message="regressed\n1 to 0"),),
    configuration=ConfigurationUse(
        file="runaudit.toml",
        digest="sha256:" + "0" * 64,
        changes=(LevelChange(id="portability", before="warning", after="note", count=1, reason="known"),),
        expired=(KnownFinding(id="hollow-row", path="**", reason="r", expires=date(2026, 1, 2)),),
    ),
)
PASSED = Report(kind="verification", version=1, subject="results", verdict=Verdict(word="pass"))


@cache
def schema(path: str) -> Validator:
    document: dict[str, Any] = json.loads((ROOT / path).read_text(encoding="utf-8"))
    chosen = Draft4Validator if "draft-04" in document["$schema"] else Draft202012Validator
    chosen.check_schema(document)
    return chosen(document)


def assert_valid(path: str, text: str) -> Any:
    value = json.loads(text)
    schema(path).validate(value)
    return value


def assert_envelope(text: str) -> Any:
    return assert_valid("schemas/report.v1.json", text)


def assert_sarif(text: str) -> Any:
    return assert_valid("tests/third_party/sarif-2.1.0-rtm.4.json", text)


@cache
def junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(str(ROOT / "tests/third_party/junit-10.xsd"))


def assert_junit(text: str) -> None:
    junit_schema().validate(text)
