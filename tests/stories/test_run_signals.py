"""`run`: signals reach the command exactly once, and the summary is written all the same."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stories.run_support import Wrapped, until

# Counts what it receives, says that it is ready, and ends with 10 plus the count some time after the first signal.
COUNTER = """
import os, signal, sys, time
seen = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda n, f: seen.append(n))
open(sys.argv[1], "w").close()
while not seen:
    time.sleep(0.01)
time.sleep(float(sys.argv[2]))
sys.exit(10 + len(seen) if len(set(seen)) == 1 else 99)
"""
ALL = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2]


@pytest.fixture
def wrapped(tmp_path: Path) -> Wrapped:
    return Wrapped(tmp_path)


def start_counter(wrapped: Wrapped, seconds: float = 0.5) -> subprocess.Popen[bytes]:
    ready = wrapped.folder / "ready"
    process = wrapped.popen(sys.executable, "-c", COUNTER, str(ready), str(seconds))
    until(ready.exists)
    return process


def test_a_signal_to_us_alone_is_passed_on_once(tmp_path: Path) -> None:
    assert count_deliveries(tmp_path, subprocess.Popen.send_signal) == dict.fromkeys(ALL, 1)


def test_a_signal_to_the_group_is_not_delivered_twice(tmp_path: Path) -> None:
    assert count_deliveries(tmp_path, lambda process, number: os.killpg(process.pid, number)) == dict.fromkeys(ALL, 1)


def count_deliveries(
    folder: Path, send: Callable[[subprocess.Popen[bytes], signal.Signals], None]
) -> dict[signal.Signals, int]:
    """How often each signal reached the command, for one run each, side by side."""
    for number in ALL:
        (folder / number.name).mkdir()
    runs = {number: Wrapped(folder / number.name) for number in ALL}
    processes = {number: start_counter(wrapped) for number, wrapped in runs.items()}
    for number, process in processes.items():
        send(process, number)
    for number, process in processes.items():
        assert process.communicate(timeout=30) == (b"", b"")
        told = runs[number].summary
        assert told == [f"{runs[number].output}.before", False, process.returncode, None]
    return {number: process.returncode - 10 for number, process in processes.items()}


def test_a_group_signal_and_then_one_to_us_are_two(wrapped: Wrapped) -> None:
    process = start_counter(wrapped, seconds=1.5)
    os.killpg(process.pid, signal.SIGTERM)
    time.sleep(0.25)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 12


def test_ctrl_c_on_a_terminal(wrapped: Wrapped) -> None:
    ready = wrapped.folder / "ready"
    line = wrapped.line(sys.executable, "-c", COUNTER, str(ready), "0.5")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(line[0], line)  # noqa: S606  # the wrapper as the terminal's own process
    try:
        until(ready.exists)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 11
        assert wrapped.summary == [f"{wrapped.output}.before", False, 11, None]
    finally:
        os.close(terminal)


def test_a_command_that_dies_of_ctrl_c_is_summarised_and_passed_on(wrapped: Wrapped) -> None:
    ready = wrapped.folder / "ready"
    process = wrapped.popen("sh", "-c", f"touch {ready}; exec sleep 60")
    until(ready.exists)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == -signal.SIGINT
    assert wrapped.summary == [f"{wrapped.output}.before", False, 130, signal.SIGINT]


def test_ctrl_c_during_the_summary_ends_the_summary_at_once(wrapped: Wrapped) -> None:
    process = wrapped.popen("sh", "-c", "exit 3", after="hang", seconds=60)
    until(lambda: wrapped.summary_started)
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begin < 5
    assert process.returncode == 3
    assert errors.splitlines() == [f"runaudit: no run summary for {wrapped.output}: interrupted".encode()]


def test_a_signal_before_the_start_ends_the_run_and_nothing_is_started(wrapped: Wrapped) -> None:
    ready = wrapped.folder / "ready"
    process = wrapped.popen("touch", str(ready), before="hang", seconds=60)
    until(lambda: wrapped.preparing)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert not ready.exists()
    assert not wrapped.summary_started


def test_what_we_were_started_to_ignore_the_command_ignores_too(wrapped: Wrapped) -> None:
    ready = wrapped.folder / "ready"
    line = wrapped.line("sh", "-c", f"touch {ready}; sleep 0.5; echo alive")
    process = subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *line], stdout=subprocess.PIPE, start_new_session=True
    )
    until(ready.exists)
    os.killpg(process.pid, signal.SIGHUP)
    assert process.communicate(timeout=30)[0] == b"alive\n"
    assert process.returncode == 0


def test_stopping_and_continuing_the_group_is_left_to_the_system(wrapped: Wrapped) -> None:
    ready = wrapped.folder / "ready"
    process = wrapped.popen("sh", "-c", f"touch {ready}; sleep 0.3; exit 4")
    until(ready.exists)
    os.killpg(process.pid, signal.SIGTSTP)
    time.sleep(0.2)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGCONT)
    process.communicate(timeout=30)
    assert process.returncode == 4
    assert wrapped.summary is not None


def test_nothing_of_ours_is_left_when_we_are_killed(wrapped: Wrapped) -> None:
    process = start_counter(wrapped)
    process.kill()
    process.wait(timeout=30)
    # The command lives on, as it does when any other parent is killed; it holds the pipes until it ends.
    members = group_members(process.pid)
    assert len(members) >= 1
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=30)
    until(lambda: group_members(process.pid) == [])


def group_members(group: int) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [int(pid) for pid, pgid, state in rows if int(pgid) == group and not state.startswith("Z")]
