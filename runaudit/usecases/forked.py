"""Does a piece of our own work in a process of its own, so that nothing in it can hurt or hold the caller.

The work runs in a forked child with its own session, no standard input, and nothing on standard output. It may raise,
exhaust memory, crash or hang: the caller gets a value or a sentence, at the latest at the deadline, and the child is
killed with everything it started. Unix only.
"""

import contextlib
import json
import os
import select
import signal
import time
import traceback
from collections.abc import Callable

import msgspec

from runaudit.errors import RunauditError
from runaudit.read.forking import fork

Work = Callable[[], str | None]

_LONGEST_ANSWER = 1 << 20
_REAPING_SECONDS = 0.5


class Outcome(msgspec.Struct, frozen=True):
    """What the work returned, or why it returned nothing."""

    value: str | None = None
    trouble: str | None = None


class Step:
    """One piece of work in its own process. `stop` may be called from a signal handler."""

    def __init__(self, work: Work) -> None:
        """Starts the work. Raises OSError when that is not possible."""
        self._stopped = False
        self._gone = False
        self._answers, answering = os.pipe()
        try:
            self._child = fork(lambda: _answer(work, answering))
        except BaseException:
            os.close(self._answers)
            raise
        finally:
            os.close(answering)

    def stop(self) -> None:
        """Ends the work at once."""
        self._stopped = True
        self._kill()

    def finish(self, seconds: float) -> Outcome:
        """Waits for the answer for at most so many seconds; afterwards the work and its processes are gone."""
        try:
            answer = self._read(time.monotonic() + seconds)
        finally:
            self._kill()
            status = self._reap()
            self._gone = True
            os.close(self._answers)
        if answer is not None and answer.endswith(b"\n"):
            return Outcome(**json.loads(answer))
        if self._stopped:
            return Outcome(trouble="interrupted")
        if answer is None:
            return Outcome(trouble=f"not done after {seconds:g} s")
        return Outcome(trouble=f"its process ended without an answer ({status})")

    def _read(self, end: float) -> bytes | None:
        """The answer, ending in a newline when it is whole; None at the deadline."""
        answer = b""
        while not answer.endswith(b"\n") and len(answer) <= _LONGEST_ANSWER:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                return None
            data = os.read(self._answers, 1 << 16)
            if not data:
                break
            answer += data
        return answer

    def _kill(self) -> None:
        # Once it is reaped, its number may be another process's.
        if self._gone:
            return
        # Before the child has its own session it has no group of its own either.
        with contextlib.suppress(OSError):
            os.killpg(self._child, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(self._child, signal.SIGKILL)

    def _reap(self) -> str:
        """How the child ended. One that even SIGKILL does not end (a dead network file system) is left behind."""
        end = time.monotonic() + _REAPING_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(ChildProcessError):
                child, status = os.waitpid(self._child, os.WNOHANG)
                if child == 0:
                    time.sleep(0.005)
                    continue
                code = os.waitstatus_to_exitcode(status)
                return f"signal {-code}" if code < 0 else f"exit {code}"
            return "unknown end"
        return "still there"


def attempt(work: Work, seconds: float, started: Callable[[Step], None]) -> Outcome:
    """Does the work with a deadline; never raises. `started` gets the step, so that a signal handler can stop it."""
    try:
        step = Step(work)
        started(step)
        return step.finish(seconds)
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not reach the run
        return Outcome(trouble=_sentence(error))


def _answer(work: Work, answering: int) -> None:
    """The child's part."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    try:
        reply: dict[str, str | None] = {"value": work()}
    except BaseException as error:  # noqa: BLE001  # even a SystemExit is only a sentence to the caller
        reply = {"trouble": _sentence(error)}
    data = json.dumps(reply).encode() + b"\n"
    while data:
        data = data[os.write(answering, data) :]


def _sentence(error: BaseException) -> str:
    if isinstance(error, RunauditError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return " ".join(f"{type(error).__name__}{where}: {error}".split())[:400]
