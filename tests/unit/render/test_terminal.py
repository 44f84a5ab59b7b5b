"""The report for a person: order, wrapping, colour, what is left out."""

import msgspec
import pytest

from runaudit.model.finding import Place
from runaudit.model.report import Report
from runaudit.render.options import RenderOptions, Role
from runaudit.render.terminal import render
from tests.unit.render.reports import FAILED, OPTIONS, PASSED, group, many


def changed(report: Report, **fields: object) -> Report:
    return msgspec.structs.replace(report, **fields)


def test_a_whole_report() -> None:
    assert render(FAILED, options=OPTIONS) == (
        "FAIL verification of results (exit 1)\n"
        "  error stale-file (1)\n"
        "3 files, 2 tasks\n"
        "\n"
        "error stale-file: a title, 1 place\n"
        "  - a/b.jsonl:3 (task t-1, repeat 0): m; expected 1, found 0\n"
        "\n"
        "warning nothing-ran: a title, 1 place\n"
        "  - nothing about a file\n"
        "\n"
        "note portability: a title, 1 place\n"
        "  - /abs at byte 7\n"
        "\n"
        "not checked\n"
        "  content: no permission\n"
        "  ledger (not needed here): no Harbor job\n"
        "\n"
        "Integrity\n"
        "  names   3\n"
        "  content 0\n"
        "\n"
        "configuration\n"
        f"  runaudit.toml (sha256:{'0' * 64})\n"
        "  portability: warning to note, 1 place: known\n"
        "  hollow-row at **: expired on 2026-01-02, not applied\n"
        "\n"
        "runaudit explain ID says what a finding means and what to do.\n"
    )


def test_a_clean_report_is_its_verdict() -> None:
    assert render(PASSED, options=OPTIONS) == "PASS verification of results (exit 0)\n"


def test_the_first_twenty_places_and_how_many_more() -> None:
    report = changed(PASSED, findings=(many(23),))
    shown = render(report, options=OPTIONS)
    assert shown.count("  - file") == 20
    assert "  3 more (--all)\n" in shown
    full = render(report, options=msgspec.structs.replace(OPTIONS, every_place=True))
    assert full.count("  - file") == 23
    assert "more" not in full


def test_places_that_the_report_does_not_hold_are_counted_too() -> None:
    shown = render(changed(PASSED, findings=(group(Place(path="a"), count=1000),)), options=OPTIONS)
    assert "1,000 places" in shown
    assert "999 more (--all)" in shown


@pytest.mark.parametrize("width", [30, 60])
def test_lines_wrap_between_words_and_paths_stay_whole(width: int) -> None:
    path = "a" * 70
    report = changed(PASSED, findings=(group(Place(path=path, message="word " * 20)),))
    lines = render(report, options=RenderOptions(width=width)).splitlines()
    assert all(len(line) <= width or len(line.split()) <= 2 for line in lines)
    assert any(path in line for line in lines)


def test_a_wrapped_line_does_not_begin_a_workflow_command() -> None:
    report = changed(PASSED, findings=(group(Place(path="x" * 30, message="::error::boo")),))
    lines = render(report, options=RenderOptions(width=30)).splitlines()
    assert [line for line in lines if line.lstrip().startswith("::")] == []
    assert any("\\x3a:error::boo" in line for line in lines)


def test_colour_comes_from_the_style_alone_and_by_role() -> None:
    used: list[tuple[Role, str]] = []

    def style(role: Role, text: str) -> str:
        used.append((role, text))
        return f"<{role}>"

    render(FAILED, options=msgspec.structs.replace(OPTIONS, style=style))
    assert [role for role, _ in used] == ["fail", "error", "warning", "note", "title", "title", "title", "dim"]


def test_a_configured_level_is_shown_with_its_finding() -> None:
    moved = msgspec.structs.replace(many(1, level="note"), configured="warning by default, known: ticket")
    assert "  (warning by default, known: ticket)\n" in render(changed(PASSED, findings=(moved,)), options=OPTIONS)
