"""Runs the worker on one game: own process, own scratch folder, limits, and namespaces where the kernel allows them.

Whatever the game started is gone when `run` returns, and so is the folder. This keeps accidents small; it is no
sandbox: a game that means harm can still read what its user can read.
"""

import contextlib
import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from runaudit.errors import OutputError

_WORKER = os.path.join(os.path.dirname(__file__), "replay_worker.py")
_TOOLS = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
# tried in this order: an ordinary user's namespaces, then the superuser's
_WAYS = (
    ("--user", "--net", "--pid", "--fork", "--kill-child"),
    ("--net", "--pid", "--fork", "--kill-child"),
    ("--user", "--net"),
)
_MARK = "RUNAUDIT_REPLAY"
_PROBE_SECONDS = 10
# where not even so much can be written, a record without an end says nothing about its game
_ROOM = 64 << 10


class Limits(msgspec.Struct, frozen=True):
    """What a game may use. Sizes are bytes; `files` is how many times it may write in its own folder."""

    seconds: float = 10.0
    memory: int = 1 << 30
    file_size: int = 16 << 20
    open_files: int = 64
    files: int = 64


class Play(msgspec.Struct, frozen=True):
    """How a game is driven. Episode n resets with the seed `seed` + n."""

    seed: int = 0
    episodes: int = 1
    max_steps: int = 100
    text_limit: int = 8192
    record_size: int = 4 << 20


class Isolation(msgspec.Struct, frozen=True):
    """What the kernel lets this user have: the command in front of the worker, and what it gives."""

    command: tuple[str, ...] = ()
    network_cut: bool = False
    processes_held: bool = False
    reason: str | None = None


class Ran(msgspec.Struct, frozen=True):
    """What a worker wrote, and how it ended. `code` is its exit code, negative for a signal."""

    records: tuple[dict[str, Any], ...]
    timed_out: bool
    code: int


def isolation() -> Isolation:
    """Tries which namespaces this user can have here."""
    tool = shutil.which("unshare", path=_TOOLS)
    if tool is None:
        return Isolation(reason="there is no unshare command")
    said = ""
    for way in _WAYS:
        command = (tool, *way)
        try:
            tried = subprocess.run(
                [*command, sys.executable, "-S", "-c", ""],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
            continue
        if tried.returncode == 0:
            return Isolation(command=command, network_cut=True, processes_held="--pid" in way)
        said = tried.stderr.decode("utf-8", "replace").strip().splitlines()[-1:][0] if tried.stderr else "refused"
    return Isolation(reason=said)


def run(
    file: str, name: str, play: Play, limits: Limits, held: Isolation, *, hash_seed: int, python: str | None = None
) -> Ran:
    """Drives the game in `file` once. `name` and the seed decide the actions, `hash_seed` Python's hashes of text.

    Raises OutputError when there is no room for what the worker writes: that is no fault of the game.
    """
    with _scratch() as (scratch, record):
        settings = {**_settings(play, limits), "file": os.path.abspath(file), "name": name, "scratch": scratch}
        command = [*held.command, python or sys.executable, "-s", "-B", _WORKER, json.dumps(settings)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=record,
            stderr=subprocess.DEVNULL,
            env=_environment(scratch, hash_seed),
            start_new_session=True,
        )
        timed_out = _wait(process, limits.seconds)
        if not held.processes_held:
            _sweep(scratch)
        records = _read(record, scratch)
        if not any(one["kind"] == "end" for one in records):
            _check_room(record)
        return Ran(records=records, timed_out=timed_out, code=process.returncode)


@contextlib.contextmanager
def _scratch() -> Iterator[tuple[str, BinaryIO]]:
    """A folder for the game and a file for its record, both gone afterwards. Raises OutputError."""
    with contextlib.ExitStack() as stack:
        try:
            folder = tempfile.TemporaryDirectory(prefix="runaudit-replay-", ignore_cleanup_errors=True)
            scratch = stack.enter_context(folder)
            record = stack.enter_context(tempfile.TemporaryFile(buffering=0))
        except OSError as error:
            raise OutputError(f"no folder for a replay can be made: {error.strerror or error}") from error
        yield scratch, record


def _check_room(record: BinaryIO) -> None:
    """Raises OutputError when nothing more can be written to a record that came to no end."""
    reason = os.strerror(errno.ENOSPC)
    try:
        record.seek(0, os.SEEK_END)
        if record.write(b"\n" * _ROOM) == _ROOM:
            return
    except OSError as error:
        reason = error.strerror or str(error)
    raise OutputError(f"{tempfile.gettempdir()}: the record of a replay cannot be written: {reason}")


def _settings(play: Play, limits: Limits) -> dict[str, Any]:
    whole = int(limits.seconds) + 1
    return {
        **msgspec.to_builtins(play),
        "memory": limits.memory,
        "file_size": max(limits.file_size, 2 * play.record_size),
        "open_files": limits.open_files,
        "files": limits.files,
        "cpu_seconds": whole,
        "alarm_seconds": whole + 1,
    }


def _environment(scratch: str, hash_seed: int) -> dict[str, str]:
    """Nothing of the caller's: no secret reaches a game this way."""
    return {
        "PATH": _TOOLS,
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        _MARK: scratch,
    }


def _wait(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the time ran out. Afterwards the process and its group are gone."""
    # Popen.wait polls, and sleeps up to 50 ms too long; a game takes as long. Nobody reaps the process before its
    # group was killed, so that the group's number cannot be another's.
    descriptor = os.pidfd_open(process.pid)
    try:
        ended, _, _ = select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return not ended


def _sweep(scratch: str) -> None:
    """Without a process namespace: ends what left the group. Everything that the game started has its environment."""
    mark = f"{_MARK}={scratch}".encode()
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as environment:
                ours = mark in environment.read().split(b"\0")
            if ours:
                os.kill(int(entry), signal.SIGKILL)
        except OSError:
            continue


def _read(record: BinaryIO, scratch: str) -> tuple[dict[str, Any], ...]:
    """The records; a torn last one, or what the game wrote there itself and is none, is left out."""
    record.seek(0)
    found = []
    for line in record.read().replace(scratch.encode(), b".").splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and isinstance(value.get("kind"), str):
            found.append(value)
    return tuple(found)
