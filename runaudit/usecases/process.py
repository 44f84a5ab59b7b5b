"""Starts one command and waits for it: its streams, arguments and folder are the caller's, its end is told unchanged.

Nothing is read from or written to its streams. Signals that reach us while it runs are passed on to it exactly once.
"""

import signal
import subprocess
from collections.abc import Sequence

import msgspec

from runaudit.usecases.group_watch import GroupWatch
from runaudit.usecases.relay import Relay

NOT_EXECUTABLE = 126
NOT_FOUND = 127
BY_SIGNAL = 128


class Ending(msgspec.Struct, frozen=True):
    """How a command ended: its exit code, or the signal that killed it (then `code` is 128 plus its number).

    `started` is False when it never ran; `reason` then says why.
    """

    code: int
    signal: int | None = None
    started: bool = True
    reason: str | None = None

    @classmethod
    def killed(cls, number: int, *, started: bool = True) -> "Ending":
        """The end by a signal."""
        return cls(code=BY_SIGNAL + number, signal=number, started=started)


def run_process(command: Sequence[str], relay: Relay, watch: GroupWatch | None) -> Ending:
    """Starts a command without a shell and waits for its end, however long that takes.

    A signal that reaches us and not the command is passed on. A command that is not found or cannot be executed ends
    with 127 or 126, not started.
    """
    early: list[int] = []
    relay.action = early.append
    process = _start(command)
    if isinstance(process, Ending):
        return process

    def pass_on(number: int) -> None:
        if watch is None or not watch.reached_group(number):
            process.send_signal(number)

    relay.action = pass_on
    for number in early:
        pass_on(number)
    code = process.wait()
    return Ending.killed(-code) if code < 0 else Ending(code=code)


def _start(command: Sequence[str]) -> subprocess.Popen[bytes] | Ending:
    # Where the end of children is ignored, the system forgets how they ended.
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        # Descriptors that the caller was given for the command (a job server's, a lock's) stay open.
        return subprocess.Popen(command, close_fds=False)
    except (FileNotFoundError, NotADirectoryError) as error:
        return Ending(code=NOT_FOUND, started=False, reason=f"{command[0]}: command not found ({error.strerror})")
    except (OSError, ValueError) as error:
        return Ending(code=NOT_EXECUTABLE, started=False, reason=f"{command[0]}: cannot be executed ({error})")
