"""Whatever names and messages the data holds, every format stays whole and harmless."""

import json
import re
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from runaudit.model.check import Check
from runaudit.model.finding import Place
from runaudit.model.report import Case, Report, Verdict
from runaudit.render import github, json_report, junit, markdown, sarif, terminal
from runaudit.render.uris import relative_uri
from tests.unit.render.reports import OPTIONS, assert_envelope, assert_junit, assert_sarif, group

PIECES = [
    "\n",
    "\r\n",
    "\x1b[31m",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\x00",
    "::error::boo",
    "::add-mask::x",
    "##[error]boo",
    "%0A::error::",
    "<script>alert(1)</script>",
    "</testcase>",
    "]]>",
    "&lt;",
    "|",
    "`",
    "```",
    "~~~",
    "![x](http://x)",
    "[a](b)",
    "@octocat",
    "#1",
    "# ",
    "- ",
    "1. ",
    "===",
    "\udcff",
    "\ud800",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\ufffe",
    "\u2028",
    "\U000e0041",
    "{0}",
    "../",
    "/",
    "a:b",
    "é",
    "😀",
    " ",
    "\t",
    "word",
]
HOSTILE = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=6).map("".join)
WIDTHS = st.sampled_from([20, 40, 100])


def report_of(name: str, message: str) -> Report:
    place = Place(path=name, line=1, task_id=name, message=message, expected=name, found=message)
    moved = msgspec.structs.replace(group(place, Place(task_id=message), level="note"), configured=message)
    return Report(
        kind="verification",
        version=1,
        subject=name,
        verdict=Verdict(word="fail", reasons=(message, name)),
        checks=(Check(name=name, made=False, reason=message, belongs=True),),
        findings=(group(place, title=message), moved),
        body={"name": name, "nested": [{name: message}]},
        headline=(name, message),
        sections=((name, (message, name)),),
        cases=(Case(suite=name, name=message, outcome="fail", message=name),),
    )


def assert_no_control(text: str) -> None:
    for line in text.split("\n"):
        assert line.isprintable()
    text.encode()


def assert_no_command(text: str) -> None:
    assert "##[" not in text
    assert [line for line in text.split("\n") if line.lstrip().startswith("::")] == []


@given(HOSTILE, HOSTILE, WIDTHS)
def test_terminal(name: str, message: str, width: int) -> None:
    text = terminal.render(report_of(name, message), options=msgspec.structs.replace(OPTIONS, width=width))
    assert_no_control(text)
    assert_no_command(text)
    assert text.startswith("FAIL verification of")


@settings(deadline=None)
@given(HOSTILE, HOSTILE)
def test_json(name: str, message: str) -> None:
    text = json_report.render(report_of(name, message), options=OPTIONS)
    assert_no_control(text)
    assert_no_command(text)
    value = assert_envelope(text)
    if name.isascii():
        assert value["name"] == name
        assert value["findings"][0]["places"][0]["path"] == name


@settings(deadline=None)
@given(HOSTILE, HOSTILE)
def test_markdown(name: str, message: str) -> None:
    text = markdown.render(report_of(name, message), options=OPTIONS)
    assert_no_control(text)
    assert_no_command(text)
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(text)
    kinds = [token.type for token in tokens]
    assert kinds.count("heading_open") == 5
    assert kinds.count("fence") == 1
    assert kinds.count("bullet_list_open") == 4
    assert kinds.count("list_item_open") == 6
    inner = {child.type for token in tokens for child in token.children or ()}
    assert inner <= {"text", "text_special", "code_inline", "hardbreak", "softbreak"}
    assert set(kinds).isdisjoint({"html_block", "table_open", "code_block", "hr", "blockquote_open"})
    prose = "".join(c.content for t in tokens for c in t.children or () if c.type.startswith("text"))
    assert re.search(r"@\w|#\d|://", prose) is None


@settings(deadline=None)
@given(HOSTILE, HOSTILE)
def test_junit(name: str, message: str) -> None:
    text = junit.render(report_of(name, message), options=OPTIONS)
    assert_no_control(text)
    assert_no_command(text)
    assert_junit(text)
    root = ET.fromstring(text)  # noqa: S314  # our own output
    assert len(list(root.iter("testcase"))) == 4


@settings(deadline=None, max_examples=25)
@given(HOSTILE, HOSTILE)
def test_sarif(name: str, message: str) -> None:
    text = sarif.render(report_of(name, message), options=OPTIONS)
    assert_no_control(text)
    assert_no_command(text)
    for result in assert_sarif(text)["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri)
        assert not uri.startswith(("/", "../"))


@given(HOSTILE, HOSTILE)
def test_github(name: str, message: str) -> None:
    text = github.render(report_of(name, message), options=OPTIONS)
    assert_no_control(text)
    assert "##[" not in text.split("\n")[0]
    first, *commands = text.splitlines()
    assert first.startswith("FAIL ")
    assert len(commands) == 4
    for line in commands:
        assert re.fullmatch(r"::(error|notice) [^:]+::.*", line)
        keys = re.findall(r"(?:^|,)(\w+)=", line[line.index(" ") + 1 : line.index("::", 2)])
        assert keys in (["title"], ["file", "line", "title"])


@given(st.binary(min_size=1, max_size=30))
def test_uris_keep_every_byte(data: bytes) -> None:
    path = data.decode("utf-8", "surrogateescape")
    assert unquote_to_bytes(relative_uri(path)) == data


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | HOSTILE, st.lists, max_leaves=5))
def test_whatever_the_body_holds_is_strict_json(value: object) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = json_report.render(msgspec.structs.replace(report_of("a", "b"), body={"value": value}), options=OPTIONS)
    json.loads(text, parse_constant=refuse)
