"""Starts a piece of our own work in a forked process that never returns into the caller's code. Unix only."""

import os
import signal
from collections.abc import Callable, Iterable
from typing import NoReturn

# What a run relays to its command; a forked child of ours starts with none of the caller's handlers for them.
RELAYED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def fork(body: Callable[[], None]) -> int:
    """Starts `body` in a child that never returns into the caller's code; the child's process id.

    The child starts with the relayed signals at their defaults. Raises OSError when no process can be made.
    """
    # A signal must not run the caller's handlers inside the child.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, RELAYED)
    try:
        child = os.fork()
        if child == 0:
            _stay(body, held)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    return child


def _stay(body: Callable[[], None], mask: Iterable[int]) -> NoReturn:
    try:
        signal.set_wakeup_fd(-1)
        for number in RELAYED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        body()
    finally:
        # The caller's exit handlers and buffers are not the child's to run.
        os._exit(0)
