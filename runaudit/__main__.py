"""The command's entry point: `runaudit …` and `python -m runaudit …`."""

import gc
import os
import sys


def main() -> None:
    """Runs the command line and leaves with the exit code of `docs/exit-codes.md`."""
    # Values here hold no cycles, and a million of them must not be searched for some again and again.
    gc.set_threshold(100_000, 50, 100)
    _hold_closed_streams()
    from runaudit.cli.exits import guarded  # noqa: PLC0415  # nor must the modules, of which there are a hundred

    code = guarded(sys.argv[1:])
    # The process ends: a last search through all that it holds would find nothing that matters any more.
    gc.freeze()
    sys.exit(code)


def _hold_closed_streams() -> None:
    """Takes the place of a closed stdout or stderr, so that no file of ours gets its number. A command that we start
    finds it closed, as the caller left it."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            while null < number:
                null = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # open to the end


if __name__ == "__main__":
    main()
