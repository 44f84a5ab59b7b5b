"""Commands of ours in forked processes, so that they can be killed and starved without harm to the test."""

import importlib
import os
import pkgutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import runaudit
from runaudit.cli.exits import guarded

# commands load what they need when they need it; here it is loaded once, not in each child again
for _module in pkgutil.walk_packages(runaudit.__path__, "runaudit."):
    if not _module.name.endswith(("__main__", "replay_worker")):
        importlib.import_module(_module.name)


def in_child(work: Callable[[], object]) -> int:
    """Starts work in a forked process that never returns here; its process id."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001  # whatever it is, the caller's own code must not go on here
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(99)
        os._exit(0)
    return child


def ended(
    arguments: Sequence[str], folder: Path, before: Callable[[], object] = lambda: None
) -> tuple[int | None, str, str]:
    """Exit code (None when it was killed), stdout and stderr of a command in a process of its own, after `before`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        _, status = os.waitpid(in_child(lambda: _command(arguments, folder, before, out, err)), 0)
        code = None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)
        return code, _text(out), _text(err)


def started(arguments: Sequence[str], folder: Path, before: Callable[[], object]) -> int:
    """Starts a command in a process of its own, after `before`, with nobody to hear it; its process id."""
    with open(os.devnull, "r+b") as null:
        return in_child(lambda: _command(arguments, folder, before, null, null))


def _command(
    arguments: Sequence[str], folder: Path, before: Callable[[], object], out: IO[bytes], err: IO[bytes]
) -> None:
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    # the test runner's own objects for the streams do not lead to these descriptors
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    before()
    code = guarded(list(arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
