"""Starts a piece of our own work in a forked process that never returns into the caller's code. Unix only."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable
from typing import NoReturn

# What a run relays to its command; a forked child of ours starts with none of the caller's handlers for them.
RELAYED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def may_fork() -> bool:
    """Whether work may go to processes here: a fork takes the locks of other threads with it, and none of the threads
    that would open them."""
    return hasattr(os, "fork") and threading.active_count() == 1


def fork(body: Callable[[], None]) -> int:
    """Starts `body` in a child that never returns into the caller's code; the child's process id.

    The child starts with the relayed signals at their defaults. Raises OSError when no process can be made.
    """
    # A signal must not run the caller's handlers inside the child.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, RELAYED)
    child = 0
    try:
        child = os.fork()
        if child == 0:
            _stay(body, held)
    finally:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        except BaseException:
            # the interrupt that was held back: nobody will ever learn of the child
            if child:
                end(child)
            raise
    return child


def end(child: int) -> None:
    """Ends a forked process at once, and waits until it is gone."""
    # one that has ended is not ours to kill: where nobody waits for children, its number can be another's
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        if not os.waitpid(child, os.WNOHANG)[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


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
