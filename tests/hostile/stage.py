"""Steps between the write stage of a command and the operating system: to kill it there, or to let a call fail."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runaudit.write import atomic

STAGE = os.path.dirname(atomic.__file__) + os.sep
# every call of the operating system that the write stage makes
CALLS = (
    "makedirs", "rmdir", "open", "fdopen", "lstat", "fstat", "fchmod", "pread", "write", "lseek", "ftruncate", "fsync",
    "replace", "close", "unlink",
)  # fmt: skip
# what a process of ours says before it begins a write, kills itself, fails, or when a document is written
BEGUN, KILLED, FAILED, ENDED = b"b", b"k", b"f", b"e"
# the calls that a full disk refuses; what takes away or only looks goes on to work
_FAIL = ("makedirs", "open", "write", "fsync", "replace", "close")

Around = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


def around_the_stage(around: Around) -> None:
    """From now on every call of the write stage goes through `around`, in this process and its forks."""

    def wrap(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **more: Any) -> Any:
            if not sys._getframe(1).f_code.co_filename.startswith(STAGE):
                return call(*args, **more)
            return around(name, call, args, more)

        return wrapped

    for name in CALLS:
        setattr(os, name, wrap(name, getattr(os, name)))


def killing(nth: int, *, before: bool, told: int) -> Around:
    """Kills the process at its nth call of the write stage, before or after it is made; says so first."""
    made = 0

    def kill() -> None:
        os.write(told, KILLED)
        os.kill(os.getpid(), signal.SIGKILL)

    def counted(_: str, call: Callable[..., Any], args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        nonlocal made
        made += 1
        if made == nth and before:
            kill()
        number = made
        try:
            return call(*args, **more)
        finally:
            # also after a call that was refused
            if number == nth:
                kill()

    return counted


def telling(path: Path, told: int) -> Around:
    """Says which process begins to write `path`, and when that document is written."""
    writing: list[int] = []

    def tell(name: str, call: Callable[..., Any], args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        begins = name == "open" and args[1] & os.O_CREAT and _is_for(path, args[0])
        if begins:
            os.write(told, BEGUN + os.getpid().to_bytes(4, "little"))
        result = call(*args, **more)
        if begins:
            writing[:] = [result]
        elif writing and (name == "replace" or (name == "close" and args[0] == writing[0])):
            writing.clear()
            os.write(told, ENDED)
        return result

    return tell


def _is_for(path: Path, opened: str) -> bool:
    name = os.path.basename(opened)
    return name == path.name or (atomic.is_own_leftover(name) and name.startswith(f".{path.name}."))


def failing(nth: int, number: int, told: int | None = None) -> Around:
    """Lets the nth call of the write stage fail with an error number, and all later ones with it, as a full disk does.

    A call that only takes away or looks goes on to work. Says so when it comes so far.
    """
    made = 0

    def fail(name: str, call: Callable[..., Any], args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        nonlocal made
        if name in _FAIL and (name != "open" or args[1] & os.O_CREAT):
            made += 1
            if made >= nth:
                if made == nth and told is not None:
                    os.write(told, FAILED)
                if name == "close":
                    call(*args, **more)
                raise OSError(number, os.strerror(number))
        return call(*args, **more)

    return fail


def refusing(path: Path, number: int) -> Around:
    """Lets nobody begin to write that document."""

    def refuse(name: str, call: Callable[..., Any], args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        if name == "open" and args[1] & os.O_CREAT and _is_for(path, args[0]):
            raise OSError(number, os.strerror(number))
        return call(*args, **more)

    return refuse
