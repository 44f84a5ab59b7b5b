"""The command's entry point: `runaudit …` and `python -m runaudit …`."""

import sys

from runaudit.cli.exits import guarded


def main() -> None:
    """Runs the command line and leaves with the exit code of `docs/exit-codes.md`."""
    sys.exit(guarded(sys.argv[1:]))


if __name__ == "__main__":
    main()
