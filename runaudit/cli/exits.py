"""Maps everything that can end a command to an exit code, in one place.

0 audited and clean · 1 audited, and the answer is no · 2 wrong usage, configuration or policy · 3 could not audit.
A crash is 3 as well: Python's and click's own 1 would read as "findings" in CI.
"""

import os
import sys

import click

from runaudit.errors import RunauditError, UsageError
from runaudit.render.escaping import printable

__all__ = ["COULD_NOT_AUDIT", "WRONG_USAGE", "complain", "guarded", "printable"]

WRONG_USAGE = 2
COULD_NOT_AUDIT = 3
_INTERRUPTED = 130


def guarded(arguments: list[str]) -> int:
    """Runs the command line; never lets an exception through. Returns the exit code."""
    from runaudit.cli.main import cli  # noqa: PLC0415  # errors while importing must come out as 3, too

    try:
        code = cli.main(arguments, prog_name="runaudit", standalone_mode=False)
    except click.ClickException as error:
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    click.echo(f"runaudit: {printable(text)}", err=True)


def _report_bug(error: Exception) -> None:
    import traceback  # noqa: PLC0415  # a sound run has no use for it, and it takes longer to load than this module

    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    complain(f"internal error, please report it: {type(error).__name__} at {where}: {error}")
    if os.environ.get("RUNAUDIT_DEBUG"):
        traceback.print_exception(error)
