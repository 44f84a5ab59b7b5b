"""Markdown: what a reader sees, what cannot become markup, and what is left out."""

import msgspec
import pytest
from markdown_it import MarkdownIt

from runaudit.model.finding import Place
from runaudit.render.markdown import COMMENT_LIMIT, code, escaped, render
from tests.unit.render.reports import FAILED, OPTIONS, PASSED, group, many


def test_a_whole_report() -> None:
    assert render(FAILED, options=OPTIONS) == (
        "## FAIL verification of results \\(exit 1\\)\n\n\n"
        "- error stale\\-file \\(1\\)\n\n\n"
        "3 files, 2 tasks  \n\n"
        "### error: a title (`stale-file`, 1 place)\n\n"
        "- `a/b.jsonl:3 (task t-1, repeat 0)`: m; expected 1, found 0\n\n"
        "### warning: a title (`nothing-ran`, 1 place)\n\n"
        "- nothing about a file\n\n"
        "### note: a title (`portability`, 1 place)\n\n"
        "- `/abs at byte 7`\n\n"
        "### Not checked\n\n"
        "- content: no permission\n"
        "- ledger \\(not needed here\\): no Harbor job\n\n"
        "### Integrity\n\n"
        "```text\nnames   3\ncontent 0\n```\n\n"
        "### Configuration\n\n"
        f"- runaudit.toml \\(sha256:{'0' * 64}\\)\n"
        "- portability: warning to note, 1 place: known\n"
        "- hollow\\-row at \\*\\*: expired on 2026\\-01\\-02, not applied\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("a``b`", "``` a``b` ```"),
        ("a|b", "`a|b`"),
        ("a\nb", "`a\\nb`"),
    ],
)
def test_code_spans(text: str, expected: str) -> None:
    assert code(text) == expected
    children = MarkdownIt("commonmark").parseInline(code(text))[0].children
    assert children is not None
    assert [(child.type, child.content) for child in children] == [("code_inline", text.replace("\n", "\\n"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>", "\\<script\\>"),
        ("@octocat", "@&#8203;octocat"),
        ("fixes #12", "fixes #&#8203;12"),
        ("GH-12", "GH&#8203;\\-12"),
        ("https://x.org", "https:&#8203;//x.org"),
        ("www.x.org", "www&#8203;.x.org"),
        ("1. one", "1\\. one"),
        ("&lt;", "\\&lt;"),
        ("::error::", "\\\\x3a:error::"),
    ],
)
def test_prose_is_taken_literally(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_a_large_report_stays_below_the_limit_and_says_what_it_left_out() -> None:
    long = group(*(Place(path=f"{at:03}" + "x" * 4000) for at in range(20)), name="reward-mismatch")
    report = msgspec.structs.replace(PASSED, findings=(long, many(3, level="note")), sections=(("Tasks", ("a",)),))
    text = render(report, options=OPTIONS)
    assert len(text.encode()) < COMMENT_LIMIT
    last = text.splitlines()[-1]
    assert last == (
        "**Left out to stay below the size limit:** 4 lines of error reward-mismatch; note stale-file; "
        "the section Tasks. The JSON report has everything."
    )


def test_a_cut_section_still_closes_its_fence() -> None:
    report = msgspec.structs.replace(PASSED, sections=(("Tasks", ("y" * 1000,) * 100),))
    tokens = MarkdownIt("commonmark").parse(render(report, options=OPTIONS))
    assert [token.type for token in tokens if token.type == "fence"] == ["fence"]
    assert "Left out" in tokens[-2].content


def test_many_cut_parts_are_counted() -> None:
    groups = tuple(group(Place(path="z" * 60_000), name=f"finding-{at}", title="t" * 3000) for at in range(40))
    text = render(msgspec.structs.replace(PASSED, findings=groups), options=OPTIONS)
    assert len(text.encode()) < COMMENT_LIMIT
    assert "more parts. The JSON report has everything." in text
