"""The command's entry point: `runaudit …` and `python -m runaudit …`."""

import gc
import sys


def main() -> None:
    """Runs the command line and leaves with the exit code of `docs/exit-codes.md`."""
    # Values here hold no cycles, and a million of them must not be searched for some again and again.
    gc.set_threshold(100_000, 50, 100)
    from runaudit.cli.exits import guarded  # noqa: PLC0415  # nor must the modules, of which there are a hundred

    code = guarded(sys.argv[1:])
    # The process ends: a last search through all that it holds would find nothing that matters any more.
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
