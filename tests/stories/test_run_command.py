"""`runaudit run` itself: what it refuses before the start, what it takes from the command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.run_support import ROOT

FAKE_GYM = """#!/bin/sh
echo "$@"
exit 5
"""


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "runaudit", "run", *words],
        capture_output=True,
        check=False,
        timeout=60,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.fixture
def gym(tmp_path: Path) -> str:
    command = tmp_path / "gym"
    command.write_text(FAKE_GYM)
    command.chmod(0o755)
    return str(command)


@pytest.mark.parametrize(
    "words",
    [
        ("--no-such-option", "--", "touch", "started"),
        ("--summary-timeout", "0", "--output", "r.jsonl", "--", "touch", "started"),
        ("--output", "r.jsonl", "--"),
        ("--", "touch", "started"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_nothing_is_started(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert os.listdir(tmp_path) == []


def test_an_output_that_cannot_be_told_is_asked_for(tmp_path: Path, gym: str) -> None:
    done = run("--", gym, "eval", "run", "--output", "${results}/r.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"interpolation other than oc.env" in done.stderr
    assert b"--output ROLLOUTS" in done.stderr


def test_a_command_that_the_producer_refuses_runs_and_fails_by_itself(tmp_path: Path, gym: str) -> None:
    done = run("--", gym, "eval", "run", "output_jsonl_fpath=r.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (5, b"eval run output_jsonl_fpath=r.jsonl\n")
    assert done.stderr.startswith(b"runaudit: nothing to summarise: ")
    assert len(done.stderr.splitlines()) == 1


def test_options_after_the_command_are_the_commands_own(tmp_path: Path, gym: str) -> None:
    done = run("--output", "r.jsonl", gym, "--output", "x", "--", "--summary-timeout", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (5, b"--output x -- --summary-timeout\n")


def test_another_output_than_the_commands_is_said(tmp_path: Path, gym: str) -> None:
    done = run("--output", "a.jsonl", "--", gym, "eval", "run", "-o", "b.jsonl", cwd=tmp_path)
    assert done.returncode == 5
    assert f"the command writes {tmp_path / 'b.jsonl'}; as told, {tmp_path / 'a.jsonl'} is summarised" in str(
        done.stderr
    )


def test_a_death_by_signal_reaches_the_shell(tmp_path: Path) -> None:
    assert run("--output", "r.jsonl", "--", "sh", "-c", "kill -TERM $$", cwd=tmp_path).returncode == -15
