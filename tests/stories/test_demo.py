"""`runaudit demo`: every step, deterministic, nothing left behind, and short."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runaudit.cli import demo as demo_command
from runaudit.cli.demo import STEPS, Command
from runaudit.cli.exits import guarded


def told(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert guarded(["demo", *arguments]) == 0
    streams = capfd.readouterr()
    # the manifest's digest goes to stderr, and follows the name of the folder, which rows hold
    assert re.fullmatch(
        r"\./SHA256_MANIFEST\.json: 25 files, \d+ bytes, tree digest sha256:[0-9a-f]{64}\n", streams.err
    )
    return streams.out


def test_every_command_is_printed_before_what_it_prints(capfd: pytest.CaptureFixture[str]) -> None:
    text = told(capfd)
    commands = re.findall(r"(?m)^\$ runaudit (.*)$", text)
    assert commands == [" ".join(step.arguments) for step in STEPS if isinstance(step, Command)]
    assert text.index("$ gym eval run") > text.index("$ runaudit signatures")


def test_it_ends_with_the_summary_on_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    summary = told(capfd).rpartition("$ runaudit show rollouts.jsonl\n")[2]
    for pattern in (
        r"12 selected",
        r"scored +9 +75\.0% +5 passed .*, 1 degraded",
        r"masked +1 ",
        r"missing +2 ",
        r"mean reward +0\.555556  over 9 scored of 12 selected",
        r"aggregate  0\.454545  over 11 \(2 of them without a row\)",
        r"error reward-mismatch: .*, 1 place",
        r"warning stale-file: .*, 1 place",
        r"health report +9 healthy, 1 unhealthy",
        r"Left by an earlier run, not read: 1\n  rollouts_failures\.jsonl",
    ):
        assert re.search(pattern, summary), pattern


def test_it_prints_the_same_every_time(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(capfd) == told(capfd)


def test_nothing_is_left_behind(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = os.getcwd()
    told(capfd)
    assert os.getcwd() == before
    assert list(tmp_path.iterdir()) == []


def test_the_run_can_be_kept(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    text = told(capfd, "--keep", str(folder))
    assert "The run is in " in text
    assert (folder / "rollouts_run_summary.json").is_file()
    assert guarded(["show", str(folder)]) == 0


def test_a_kept_run_goes_into_an_empty_folder_only(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("kept", encoding="utf-8")
    assert guarded(["demo", "--keep", str(tmp_path)]) == 2
    assert "is not empty" in capfd.readouterr().err
    assert guarded(["demo", "--keep", str(tmp_path / "mine" / "below")]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_step_that_ends_otherwise_ends_the_demo(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (Command("why", ("explain", "no-such-id")), Command("never", ("explain",)))
    monkeypatch.setattr(demo_command, "STEPS", steps)
    assert guarded(["demo"]) == 2
    assert "never" not in capfd.readouterr().out


def test_a_step_that_should_find_something_and_does_not_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_command, "STEPS", (Command("why", ("explain", "reward-mismatch"), exit_code=1),))
    assert guarded(["demo"]) == 3


def test_it_takes_less_than_two_seconds_of_processor_time() -> None:
    before = os.times()
    subprocess.run([sys.executable, "-m", "runaudit", "demo"], check=True, capture_output=True)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 2
