"""Tells a signal that was sent to our whole process group from one that was sent to us alone.

A Ctrl-C on the terminal, or a batch system, signals the group: the command has the signal already, and must not get
it twice, since a second one often means "stop cleaning up". A `kill` of our own process id has to be passed on. The
system does not say which of the two it was, so a small process in the same group listens: what reaches it, too, was
sent to the group.
"""

import contextlib
import os
import select
import signal
from collections import Counter

from runaudit.read.forking import RELAYED, fork

_READY = b"\0"
_START_SECONDS = 2.0
_DELIVERY_SECONDS = 0.25


class GroupWatch:
    """The listener. It ends with us, however we end: it waits for the end of a pipe whose other side we hold."""

    def __init__(self) -> None:
        """Starts the listener and waits until it listens. Raises OSError when that is not possible."""
        self._heard: Counter[int] = Counter()
        self._news, told = os.pipe()
        life, self._life = os.pipe()
        try:
            self._child = fork(lambda: _listen(told, life, self._life))
        except BaseException:
            os.close(self._news)
            os.close(self._life)
            raise
        finally:
            os.close(told)
            os.close(life)
        self._collect(_START_SECONDS)

    def reached_group(self, number: int) -> bool:
        """Whether a signal that has just reached us reached the group. May be called from a signal handler."""
        if not self._heard[number]:
            self._collect(_DELIVERY_SECONDS)
        return self._heard.pop(number, 0) > 0

    def _collect(self, seconds: float) -> None:
        with contextlib.suppress(OSError):
            while select.select([self._news], [], [], seconds)[0]:
                data = os.read(self._news, 64)
                self._heard.update(data)
                seconds = 0
                if not data:
                    break

    def close(self) -> None:
        """Ends the listener."""
        os.close(self._life)
        os.close(self._news)
        with contextlib.suppress(OSError):
            os.kill(self._child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._child, 0)


def _listen(told: int, life: int, other_side: int) -> None:
    """The listener's part: writes the number of each signal; ends when the other side of `life` is closed."""
    os.close(other_side)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    for number in RELAYED:
        signal.signal(number, lambda *_: None)
    os.write(told, _READY)
    os.read(life, 1)
