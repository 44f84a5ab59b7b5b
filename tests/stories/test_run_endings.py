"""`run`: what a command does comes through unchanged, whatever happens to our own work."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.run_support import Wrapped

BOTH_STREAMS = "import os; os.write(1, bytes(range(256))); os.write(2, b'e\\xff\\x00\\n'); raise SystemExit({code})"


@pytest.fixture
def wrapped(tmp_path: Path) -> Wrapped:
    return Wrapped(tmp_path)


@pytest.mark.parametrize("code", [0, 3])
def test_exit_code_and_both_streams_come_through_unchanged(wrapped: Wrapped, code: int) -> None:
    done = wrapped.run(sys.executable, "-c", BOTH_STREAMS.format(code=code))
    assert (done.returncode, done.stdout, done.stderr) == (code, bytes(range(256)), b"e\xff\x00\n")
    assert wrapped.summary == [f"{wrapped.output}.before", False, code, None]


def test_standard_input_and_arguments_reach_the_command(wrapped: Wrapped) -> None:
    line = wrapped.line(
        sys.executable, "-c", "import sys; print(sys.argv[1:], sys.stdin.read())", "--", "-x", "a b", ""
    )
    done = subprocess.run(line, input=b"typed", capture_output=True, check=False, timeout=60)
    assert done.stdout == b"['--', '-x', 'a b', ''] typed\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_death_by_signal_is_passed_on_after_the_summary(wrapped: Wrapped, number: signal.Signals) -> None:
    done = wrapped.run(sys.executable, "-c", f"import os; os.kill(os.getpid(), {int(number)})", seconds=30)
    assert (done.returncode, done.stderr) == (-number, b"")
    assert wrapped.summary == [f"{wrapped.output}.before", False, 128 + number, number]


def test_a_command_that_is_not_found_is_127(wrapped: Wrapped) -> None:
    done = wrapped.run("no-such-command-anywhere")
    assert (done.returncode, done.stdout) == (127, b"")
    assert done.stderr.startswith(b"runaudit: no-such-command-anywhere: command not found")
    assert wrapped.signed
    assert not wrapped.summary_started


def test_a_file_that_is_not_executable_is_126(wrapped: Wrapped) -> None:
    script = wrapped.folder / "script.sh"
    script.write_text("#!/bin/sh\n")
    for command in (str(script), str(wrapped.folder)):
        done = wrapped.run(command)
        assert done.returncode == 126
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("kind", ["fail", "recursion", "memory", "interrupt", "exit", "crash"])
def test_our_own_failure_is_one_line_each_and_changes_nothing(wrapped: Wrapped, kind: str) -> None:
    done = wrapped.run(sys.executable, "-c", BOTH_STREAMS.format(code=3), before=kind, after=kind)
    assert (done.returncode, done.stdout) == (3, bytes(range(256)))
    lines = done.stderr.splitlines(keepends=True)
    assert lines[0].startswith(b"runaudit: no signatures")
    assert lines[1] == b"e\xff\x00\n"
    assert lines[2].startswith(b"runaudit: no run summary")
    assert len(lines) == 3
    assert wrapped.summary is None


def test_without_signatures_the_summary_is_written_and_told(wrapped: Wrapped) -> None:
    wrapped.run("true", before="fail")
    assert wrapped.summary == [None, False, 0, None]


def test_our_own_hang_ends_at_the_deadline(wrapped: Wrapped) -> None:
    begin = time.monotonic()
    done = wrapped.run("echo", "done", seconds=0.5, before="hang", after="hang")
    assert time.monotonic() - begin < 10
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert [b"not done after 0.5 s" in line for line in done.stderr.splitlines()] == [True, True]


def test_our_own_output_never_reaches_standard_output(wrapped: Wrapped) -> None:
    done = wrapped.run("echo", "only this", before="noise", after="noise")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"only this\n", b"")
    assert wrapped.summary is not None


def test_a_closed_standard_error_is_no_trouble(wrapped: Wrapped) -> None:
    line = wrapped.line("echo", "fine", before="fail", after="fail")
    shell = subprocess.run(["sh", "-c", '"$@" 2>&-', "sh", *line], stdout=subprocess.PIPE, check=False, timeout=60)
    assert (shell.returncode, shell.stdout) == (0, b"fine\n")


def test_a_full_standard_error_is_no_trouble(wrapped: Wrapped) -> None:
    line = wrapped.line("echo", "fine", before="fail", after="fail")
    shell = subprocess.run(
        ["sh", "-c", '"$@" 2>/dev/full', "sh", *line], stdout=subprocess.PIPE, check=False, timeout=60
    )
    assert (shell.returncode, shell.stdout) == (0, b"fine\n")


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder that takes no more bytes, and a launcher needed for that: none where we may mount a small disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(folder)], capture_output=True, check=False
    )
    if mount.returncode != 0:
        # Writing to any file then fails, as on a full disk; pipes are not concerned.
        yield folder, ["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh"]
        return
    try:
        with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        yield folder, []
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_one_line_each(full_disk: tuple[Path, list[str]]) -> None:
    folder, launcher = full_disk
    wrapped = Wrapped(folder)
    line = [*launcher, *wrapped.line("echo", "fine")]
    done = subprocess.run(line, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"fine\n")
    assert [b"cannot be written" in text for text in done.stderr.splitlines()] == [True, True]
    assert wrapped.preparing
    assert wrapped.summary_started
    assert not wrapped.signed
    assert wrapped.summary is None


def test_an_unwritable_folder_is_one_line_each(wrapped: Wrapped) -> None:
    wrapped.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    done = wrapped.run("echo", "fine", before="nobody", after="nobody")
    assert (done.returncode, done.stdout) == (0, b"fine\n")
    assert [b"cannot be written: Permission denied" in text for text in done.stderr.splitlines()] == [True, True]


def test_descriptors_meant_for_the_command_stay_open(wrapped: Wrapped) -> None:
    line = wrapped.line(sys.executable, "-c", "import os; os.write(int(os.environ['FD']), b'through')")
    read, write = os.pipe()
    with open(read, "rb") as reader:
        subprocess.run(line, pass_fds=[write], env={**os.environ, "FD": str(write)}, check=True, timeout=60)
        os.close(write)
        assert reader.read() == b"through"


def test_an_inherited_refusal_to_hear_of_children_does_not_lose_the_exit_code(wrapped: Wrapped) -> None:
    line = wrapped.line(sys.executable, "-c", "raise SystemExit(3)")
    shell = subprocess.run(["sh", "-c", 'trap "" CHLD; exec "$@"', "sh", *line], check=False, timeout=60)
    assert shell.returncode == 3


def test_a_resume_takes_no_signatures(wrapped: Wrapped) -> None:
    for name in ("rollouts.jsonl", "rollouts_materialized_inputs.jsonl"):
        (wrapped.folder / name).write_bytes(b"")
    wrapped.run("true", resume=True)
    assert wrapped.summary == [None, True, 0, None]


def test_a_resume_that_is_none_takes_signatures(wrapped: Wrapped) -> None:
    (wrapped.folder / "rollouts.jsonl").write_bytes(b"")
    wrapped.run("true", resume=True)
    assert wrapped.summary == [f"{wrapped.output}.before", False, 0, None]
