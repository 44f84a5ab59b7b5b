"""The shared options, and the way of a report to stdout, a file, the step summary and the exit code."""

import json
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner

from runaudit.cli import output, screen
from runaudit.cli.output import FORMATS, WITHOUT_SARIF, Reporting, publish, reporting
from runaudit.cli.screen import coloured, screen_style, write_stdout
from runaudit.model.report import Report, Verdict, Word
from runaudit.render.options import plain
from tests.unit.render.reports import FAILED, PASSED, assert_envelope, assert_junit, assert_sarif


def told(form: str = "terminal", path: str | None = None) -> Reporting:
    return Reporting(
        format=form, every_place=False, config=None, fail_on="error", output=path, today=datetime.now(tz=UTC).date()
    )


def run(report: Report, *arguments: str) -> tuple[str, Reporting]:
    seen: list[Reporting] = []

    @click.command()
    @click.argument("folder")
    @reporting()
    def verify(folder: str, reporting: Reporting) -> int:
        """Help of the command."""
        assert folder == "x"
        seen.append(reporting)
        return publish(report, reporting)

    result = CliRunner().invoke(verify, ["x", *arguments], standalone_mode=False)
    assert result.exception is None
    assert result.return_value == report.verdict.exit_code
    return result.stdout, seen[0]


def test_the_defaults() -> None:
    _, seen = run(PASSED)
    assert seen == told()


def test_the_options_reach_the_command() -> None:
    _, seen = run(PASSED, "--format", "json", "--all", "--config", "c.toml", "--fail-on", "note", "-o", "-")
    assert seen == Reporting(
        format="json", every_place=True, config="c.toml", fail_on="note", output="-", today=seen.today
    )


def test_a_command_can_offer_fewer_formats_and_fail_on_nothing_by_default() -> None:
    @click.command()
    @reporting(WITHOUT_SARIF, fail_on=None)
    def show(reporting: Reporting) -> None:
        """Help of the command."""
        click.echo(repr(reporting.fail_on))

    assert CliRunner().invoke(show, []).stdout == "None\n"
    refused = CliRunner().invoke(show, ["--format", "sarif"])
    assert (refused.exit_code, "'sarif' is not one of" in refused.stderr) == (2, True)
    assert "Help of the command." in CliRunner().invoke(show, ["--help"]).stdout


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_prints_a_whole_report(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    text, _ = run(FAILED, "--format", form)
    check = {"json": assert_envelope, "junit": assert_junit, "sarif": assert_sarif}.get(form)
    if check is not None:
        check(text)
    else:
        assert text.lstrip("# ").startswith("FAIL verification of results")


@pytest.mark.parametrize(("word", "code"), [("pass", 0), ("fail", 1), ("inconclusive", 3)])
def test_the_exit_code_is_that_of_the_verdict(word: Word, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish(msgspec.structs.replace(PASSED, verdict=Verdict(word=word)), told()) == code
    assert capsys.readouterr().out.startswith(word.upper())


def test_a_report_goes_to_the_named_file_and_not_to_stdout(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.json"
    text, _ = run(FAILED, "--format", "json", "--output", str(path))
    assert text == ""
    assert assert_envelope(path.read_text(encoding="utf-8"))["verdict"] == "fail"


def test_the_step_summary_is_added_to_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    text, _ = run(FAILED, "--format", "github")
    assert "::error " in text
    assert path.read_text(encoding="utf-8").startswith("before\n## FAIL verification of results")


def test_other_formats_leave_the_step_summary_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    run(FAILED, "--format", "markdown")
    assert list(tmp_path.iterdir()) == []


def test_a_full_step_summary_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * (1 << 20))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    assert publish(FAILED, told("github")) == 1
    assert path.stat().st_size == 1 << 20
    assert "step summary is full" in capsys.readouterr().err


def test_a_step_summary_that_cannot_be_written_changes_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert publish(PASSED, told("github")) == 0
    assert "cannot be written" in capsys.readouterr().err


def test_colour_is_for_terminals_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    publish(FAILED, told())
    assert "\x1b" not in capsys.readouterr().out
    printed: list[str] = []
    monkeypatch.setattr(output, "stdout_is_terminal", lambda: True)
    monkeypatch.setattr(output, "write_stdout", printed.append)
    publish(FAILED, told())
    assert printed[0].startswith("\x1b[31m\x1b[1mFAIL verification")
    publish(FAILED, told("json"))
    assert "\x1b" not in printed[1]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_is_left_out_on_request(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert screen_style() is coloured
    monkeypatch.setenv(name, value)
    assert screen_style() is plain


def test_stdout_is_utf8_whatever_the_locale(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_stdout("é\n")
    assert capfdbinary.readouterr().out == "é\n".encode()


def test_a_terminal_that_cannot_show_a_character_gets_an_escape(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(screen, "stdout_is_terminal", lambda: True)
    monkeypatch.setattr(screen, "terminal_encoding", lambda: "ascii")
    write_stdout("é\n")
    assert capfdbinary.readouterr().out == b"\\xe9\n"


def test_the_configuration_comes_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runaudit.toml").write_text('[levels]\nstale-file = "error"\n', encoding="utf-8")
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    from runaudit.usecases.registry import definitions  # noqa: PLC0415  # loads every layout's rules

    loaded = told().settings([str(tmp_path / "results")], definitions())
    assert loaded.configuration.levels == {"stale-file": "error"}
    assert loaded.configuration.file == "runaudit.toml"


def test_json_on_stdout_is_one_document() -> None:
    text, _ = run(FAILED, "--format", "json")
    assert json.loads(text)["exit_code"] == 1
