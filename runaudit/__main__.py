"""The command's entry point: `runaudit …` and `python -m runaudit …`."""

import gc
import sys

from runaudit.cli.exits import guarded


def main() -> None:
    """Runs the command line and leaves with the exit code of `docs/exit-codes.md`."""
    # Values here hold no cycles, and a million of them must not be searched for some again and again.
    gc.set_threshold(100_000, 50, 100)
    sys.exit(guarded(sys.argv[1:]))


if __name__ == "__main__":
    main()
