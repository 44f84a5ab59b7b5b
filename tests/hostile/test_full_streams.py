"""Full and closed stdout and stderr: a clear line where there is room for one, and the documented exit code, always."""

import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from runaudit.cli.exits import guarded
from tests.builders import Run, native_input, row

SHOWING = [
    ["summarize", "results/rollouts.jsonl", "-o", "-"],
    ["summarize", "results/rollouts.jsonl", "--format", "json"],
    ["summarize", "results/rollouts.jsonl"],
    ["show", "results"],
    ["show", "results", "--format", "json"],
    ["verify", "results"],
    ["diff", "results", "results"],
    ["manifest", "create", "results", "-o", "-"],
    ["signatures", "results/rollouts.jsonl"],
    ["schema", "run_summary"],
    ["explain", "leftover-file"],
    ["--version"],
    ["--help"],
    ["demo"],
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    run = Run(tmp_path / "results")
    run.inputs(native_input(0))
    run.results(row(0, reward=1.0))
    assert guarded(["summarize", str(run.rollouts), "-o", str(run.summary)]) == 0
    return tmp_path


def ended(arguments: list[str], place: Path, out: IO[bytes] | int, err: IO[bytes] | int) -> tuple[int, str]:
    command = [sys.executable, "-m", "runaudit", *arguments]
    done = subprocess.run(command, cwd=place, stdout=out, stderr=err, check=False, timeout=60)
    return done.returncode, (done.stderr or b"").decode()


@pytest.mark.parametrize("arguments", SHOWING, ids=" ".join)
def test_a_full_stdout_is_told_and_could_not_audit(place: Path, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        code, told = ended(arguments, place, full, subprocess.PIPE)
    assert (code, told) == (3, "runaudit: standard output: cannot be written: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["verify", "nowhere"], 3),
        (["verify"], 2),
        (["nonsense"], 2),
        (["verify", "results", "--policy", "none.toml"], 2),
        (["manifest", "create", "results"], 0),
        (["run", "--output", "results/rollouts.jsonl", "--", "sh", "-c", "exit 7"], 7),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else str(value),
)
def test_a_full_stderr_changes_no_exit_code(place: Path, arguments: list[str], code: int) -> None:
    with open("/dev/full", "wb") as full:
        assert ended(arguments, place, subprocess.DEVNULL, full)[0] == code


@pytest.mark.parametrize("streams", ["1>&-", "2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize(("arguments", "code"), [("verify results", 0), ("manifest create results", 0), ("show no", 3)])
def test_closed_streams_change_no_exit_code(place: Path, arguments: str, code: int, streams: str) -> None:
    line = f"{sys.executable} -m runaudit {arguments} {streams}"
    assert ended_by_shell(line, place) == code


def test_a_command_finds_a_closed_stream_closed(place: Path) -> None:
    script = "for n in 1 2; do [ -e /proc/self/fd/$n ] && exit 9; done; exit 7"
    line = f"{sys.executable} -m runaudit run --output results/rollouts.jsonl -- sh -c '{script}' 1>&- 2>&-"
    assert ended_by_shell(line, place) == 7
    assert (place / "results" / "rollouts_run_summary.json").read_bytes().startswith(b"{")


def ended_by_shell(line: str, place: Path) -> int:
    return subprocess.run(["sh", "-c", line], cwd=place, check=False, timeout=60).returncode
