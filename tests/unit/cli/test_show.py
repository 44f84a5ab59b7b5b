"""`runaudit show` from the outside: text, JSON, colour, exit codes."""

import json
from pathlib import Path

import pytest

from runaudit.cli import show as show_command
from runaudit.cli.exits import guarded
from tests.unit.render.stored_summaries import large


@pytest.fixture
def summary(tmp_path: Path) -> str:
    path = tmp_path / "rollouts_run_summary.json"
    path.write_text(json.dumps(large()), encoding="utf-8")
    return str(path)


def test_piped_text_is_80_columns_wide_and_plain(summary: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert guarded(["show", summary]) == 0
    text = capfdbinary.readouterr().out.decode()
    assert text.startswith("NeMo Gym run swe_verified.jsonl")
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_a_terminal_gets_colours_and_its_own_width(
    summary: str, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show_command, "stdout_is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert guarded(["show", summary]) == 0
    assert b"\x1b[31m  error conflicting-rows" in capfdbinary.readouterr().out


def test_json_is_the_document(summary: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert guarded(["show", summary, "--format", "json"]) == 0
    assert json.loads(capfdbinary.readouterr().out) == large()


def test_all_lists_everything(summary: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert guarded(["show", summary, "--all"]) == 0
    assert capfdbinary.readouterr().out.count(b"(verifier_logs)") == 57


@pytest.mark.parametrize(
    ("arguments", "code"), [(["show"], 2), (["show", "/gone.json"], 3), (["show", "x", "--no"], 2)]
)
def test_exit_codes(arguments: list[str], code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(arguments) == code
    streams = capfd.readouterr()
    assert streams.out == ""
    assert streams.err != ""
