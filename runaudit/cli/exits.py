"""Maps everything that can end a command to an exit code, in one place.

0 audited and clean · 1 audited, and the answer is no · 2 wrong usage, configuration or policy · 3 could not audit.
A crash is 3 as well: Python's and click's own 1 would read as "findings" in CI. So is an output that nobody could
receive; what cannot be told on stderr changes no exit code.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator

import click

from runaudit.errors import RunauditError, UsageError
from runaudit.render.escaping import printable

__all__ = ["COULD_NOT_AUDIT", "WRONG_USAGE", "complain", "guarded", "printable", "say"]

WRONG_USAGE = 2
COULD_NOT_AUDIT = 3
_INTERRUPTED = 130
# errors of a write; every file that is written is named by the stage that writes it
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def guarded(arguments: list[str]) -> int:
    """Runs the command line; never lets an exception through. Returns the exit code."""
    from runaudit.cli.main import cli  # noqa: PLC0415  # errors while importing must come out as 3, too

    try:
        code = cli.main(arguments, prog_name="runaudit", standalone_mode=False)
        _flush_stdout()
    except click.ClickException as error:
        with _telling():
            error.show(sys.stderr)
        return WRONG_USAGE
    except UsageError as error:
        complain(str(error))
        return WRONG_USAGE
    except RunauditError as error:
        complain(str(error))
        return COULD_NOT_AUDIT
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader went away (head, less): nothing is left to tell anybody.
        _give_up(1)
        return COULD_NOT_AUDIT
    except OSError as error:
        if error.filename is not None or error.errno not in _NO_ROOM:
            _report_bug(error)
            return COULD_NOT_AUDIT
        complain(f"standard output: cannot be written: {error.strerror}")
        _give_up(1)
        return COULD_NOT_AUDIT
    except MemoryError:
        complain("out of memory: an input holds more than this machine, or its limits, can take; nothing was concluded")
        return COULD_NOT_AUDIT
    except Exception as error:  # noqa: BLE001  # the last line of defence: a bug is "could not audit"
        _report_bug(error)
        return COULD_NOT_AUDIT
    return code if isinstance(code, int) else 0


def complain(text: str) -> None:
    """One line on stderr."""
    say(f"runaudit: {printable(text)}\n")


def say(text: str) -> None:
    """Text on stderr; nothing when it cannot be told there."""
    with _telling():
        click.echo(text, nl=False, err=True)


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """Around what is told on stderr: when that is full or gone, the exit code has to say it alone."""
    try:
        yield
    except OSError:
        _give_up(2)


def _flush_stdout() -> None:
    # What is still held back must not fail where nothing catches it.
    if sys.stdout is not None:
        sys.stdout.flush()


def _give_up(descriptor: int) -> None:
    """Lets what is held back for a broken stream, and what follows, go nowhere: Python would end with 120 for it."""
    with contextlib.suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, descriptor)
        os.close(null)


def _report_bug(error: Exception) -> None:
    import traceback  # noqa: PLC0415  # a sound run has no use for it, and it takes longer to load than this module

    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    complain(f"internal error, please report it: {type(error).__name__} at {where}: {error}")
    if os.environ.get("RUNAUDIT_DEBUG"):
        with _telling():
            traceback.print_exception(error)
