"""Receives the signals of a run in our place and hands each to whatever the run is doing now.

While a relay is active none of these signals ends us: not before the command has ended and its summary is written. A
signal that we were started to ignore (`nohup`, a background job) stays ignored, for the command as well.
"""

import contextlib
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self

from runaudit.read.forking import RELAYED

Action = Callable[[int], None]


def ignore(_: int) -> None:
    """The action that does nothing."""


class Relay:
    """A context manager. `action` is called with each signal's number; `received` holds all numbers so far."""

    def __init__(self) -> None:
        self.received: list[int] = []
        self.action: Action = ignore
        self._before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}

    def __enter__(self) -> Self:
        # Outside the main thread Python lets nobody handle signals: then the run goes on without.
        with contextlib.suppress(ValueError):
            for number in RELAYED:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            # None stands for a handler that was not installed from Python and cannot be put back.
            if handler is not None:
                signal.signal(number, handler)

    def _receive(self, number: int, _: FrameType | None) -> None:
        # An exception here would surface anywhere in the code that was interrupted.
        with contextlib.suppress(Exception):
            self.received.append(number)
            self.action(number)
