"""Runs commands in a forked process with bounds on time and memory, as a user who may not read everything.

What they open is recorded by an audit hook, which sees every call of `open` and of the functions that list a folder.
"""

import contextlib
import importlib
import io
import json
import os
import pkgutil
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import runaudit
from runaudit.cli.exits import guarded

SECONDS = 30
ADDRESS_SPACE = 2 << 30
RESIDENT = 400 << 10  # KiB, of a process that starts with what its parent holds
_NOBODY = 65534
_LISTING = ("os.listdir", "os.scandir")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True)
class Ran:
    """One command that ran: its exit code, what it printed."""

    words: tuple[str, ...]
    code: int
    out: bytes
    err: str


@dataclass(frozen=True)
class Bounded:
    """What came of a process: its commands that ended, what it opened, how it ended when that was not by itself."""

    ran: tuple[Ran, ...]
    read: frozenset[str]
    written: frozenset[str]
    died: str | None
    resident: int


def captured(words: Sequence[str]) -> Ran:
    """Runs one command in this process and keeps what it prints."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = guarded(list(words))
    return Ran(tuple(words), code, _printed(output), _printed(errors).decode("utf-8", "replace"))


def _printed(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    return stream.buffer.getvalue() if isinstance(stream.buffer, io.BytesIO) else b""


def preload() -> None:
    """Loads whatever the program may load on its way: a dropped user may not read the interpreter's files."""
    for module in pkgutil.walk_packages(runaudit.__path__, "runaudit."):
        if not module.name.endswith(("__main__", "replay_child", "harbor_plugin")):
            importlib.import_module(module.name)
    for codec in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "ascii", "idna", "cp1252"):
        "".encode(codec)
    for name in ("traceback", "tomllib", "yaml", "concurrent.futures.thread", "difflib", "linecache"):
        importlib.import_module(name)


def run_bounded(commands: Sequence[Sequence[str]], out: Path, *, drop: bool = True) -> Bounded:
    """Runs the commands one after the other in a forked process; `out` is a folder for what they print."""
    child = os.fork()
    if child == 0:
        try:
            _work(commands, out, drop=drop)
        except BaseException:  # noqa: BLE001  # a fault of this module must be seen, and never come back as a parent
            traceback.print_exc()
        finally:
            os._exit(0)
    _, status, used = os.wait4(child, 0)
    done = _ended(out, len(commands), commands)
    died = None
    if os.WIFSIGNALED(status):
        died = f"ended by {signal.Signals(os.WTERMSIG(status)).name} in {' '.join(commands[len(done)])}"
    elif len(done) < len(commands):
        died = f"ended without an exit code in {' '.join(commands[len(done)])}"
    opened = _read(out / "opened.json")
    value = json.loads(opened) if opened else {"read": [], "written": []}
    return Bounded(done, frozenset(value["read"]), frozenset(value["written"]), died, used.ru_maxrss)


def _ended(out: Path, most: int, commands: Sequence[Sequence[str]]) -> tuple[Ran, ...]:
    found = []
    for at in range(most):
        code = _read(out / f"{at}.code")
        if not code:
            break
        error = _read(out / f"{at}.err").decode("utf-8", "replace")
        found.append(Ran(tuple(commands[at]), int(code), _read(out / f"{at}.out"), error))
    return tuple(found)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _opened(path: str, flags: int) -> str:
    """What a call of `open` would open; one that follows no link opens nothing behind it."""
    if flags & os.O_NOFOLLOW:
        return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return os.path.realpath(path)


def _work(commands: Sequence[Sequence[str]], out: Path, *, drop: bool) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    if drop and os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    read: set[str] = set()
    written: set[str] = set()
    watching = False

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if not watching or (event != "open" and event not in _LISTING):
            return
        path = arguments[0] if arguments else None
        if not isinstance(path, str | bytes):
            return
        flags = arguments[2] if event == "open" and isinstance(arguments[2], int) else 0
        (written if flags & _WRITING else read).add(_opened(os.fsdecode(path), flags))

    sys.addaudithook(watch)
    for at, words in enumerate(commands):
        signal.alarm(SECONDS)
        watching = True
        ran = captured(words)
        watching = False
        signal.alarm(0)
        (out / f"{at}.out").write_bytes(ran.out)
        (out / f"{at}.err").write_text(ran.err, encoding="utf-8", errors="replace")
        (out / f"{at}.code").write_text(str(ran.code))
    (out / "opened.json").write_text(json.dumps({"read": sorted(read), "written": sorted(written)}))
