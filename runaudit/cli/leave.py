"""Leaves as a wrapped command ended: with its exit code, or by dying of the signal that killed it."""

import contextlib
import os
import resource
import signal
import sys

from runaudit.usecases.process import Ending


def leave_as(ending: Ending) -> int:
    """The exit code of a command's ending; does not return when a signal ended it: then this process dies of it too."""
    if ending.signal is None:
        return ending.code
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    with contextlib.suppress(OSError, ValueError):
        # The command left its core where it was wanted; ours would only overwrite it.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(ending.signal, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [ending.signal])
    os.kill(os.getpid(), ending.signal)
    # The first process of a container is not killed by its own signals.
    return ending.code
