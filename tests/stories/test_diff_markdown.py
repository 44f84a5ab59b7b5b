"""The Markdown of `runaudit diff`, as a CommonMark parser sees it: its order, hostile names, and its size."""

import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from runaudit.cli.exits import guarded
from runaudit.render.markdown import COMMENT_LIMIT
from tests.unit.compare.build import entry, write

HOSTILE = (
    "</code><script>alert(1)</script>",
    "| a | b |",
    "```\n# heading",
    "~~~~",
    "<img src=x onerror=alert(1)>",
    "[link](javascript:alert(1))",
    "![image](https://example.org/x.png)",
    "<https://example.org>",
    "@octocat #12",
    "***bold***",
    "-->",
    "\x1b[2J",
    "a\u202eb",
)


def parsed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, list[Token]]:
    """The report as text, and its tokens where HTML is let through."""
    guarded(["diff", *arguments, "--format", "markdown"])
    text = capsys.readouterr().out
    return text, MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)


def headings(tokens: list[Token]) -> list[str]:
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


def test_the_verdict_comes_first_then_what_flipped_then_metrics_and_set_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "base", {"a": [1.0], "b": [1.0]}, run={"request": {"temperature": 0.0}})
    write(tmp_path / "worse", {"a": [0.0], "b": [1.0]}, run={"request": {"temperature": 0.7}})
    _, tokens = parsed(capsys, str(tmp_path / "base"), str(tmp_path / "worse"))
    titles = headings(tokens)
    assert titles[0].startswith("FAIL diff report of ")
    assert [title.replace("\\", "") for title in titles[1:]] == ["tasks", "metrics", "set-up", "other rules"]
    fences = [token.content for token in tokens if token.type == "fence"]
    assert "regressed: demo/a: reward 1 -> reward 0" in fences[0]
    assert fences[1].startswith("mean_reward ")
    assert fences[2] == "request.temperature: 0.0 -> 0.7\n"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_task_name_is_neither_markup_nor_the_end_of_its_block(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "base", [entry(name, 0, 1.0), entry("b", 0, 1.0)])
    write(tmp_path / "worse", [entry(name, 0, 0.0), entry("b", 0, 1.0)])
    text, tokens = parsed(capsys, str(tmp_path / "base"), str(tmp_path / "worse"))
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "hardbreak", "text_special", "code_inline"}
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_block", "table_open", "blockquote_open", "code_block", "hr"}
    assert len(headings(tokens)) == 4
    assert all(line.isprintable() for line in text.splitlines())


def test_thousands_of_tasks_stay_below_the_limit_and_say_what_was_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"{'suite/' * 200}task-{number}" for number in range(3000)]
    base = write(tmp_path / "base", {name: [1.0] for name in names})
    worse = write(tmp_path / "worse", {name: [0.0] for name in names}, run={"split": "test"})
    text, tokens = parsed(capsys, base, worse)
    assert 32_000 < len(text.encode()) < COMMENT_LIMIT
    last = tokens[-2].content
    assert last.startswith("**Left out to stay below the size limit:**")
    assert "lines of the section tasks" in last
    assert "the section metrics" in last
    assert last.endswith("The JSON report has everything.")
    guarded(["diff", base, worse, "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["tasks"]) == 3000


def test_thousands_of_short_names_are_cut_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = write(tmp_path / "base", {f"t{number}": [1.0] for number in range(3000)})
    worse = write(tmp_path / "worse", {f"t{number}": [0.0] for number in range(3000)})
    _, tokens = parsed(capsys, base, worse)
    tasks = next(token.content for token in tokens if token.type == "fence").splitlines()
    assert tasks[0] == "3000 regressed"
    assert tasks[-1] == "and 2,950 more: the JSON report lists all"
    assert len(tasks) == 52
