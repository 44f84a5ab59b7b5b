"""What a path means that somebody named on the command line: a file or a folder.

A path that is named may be a link, for the user chose it. One thing is never meant: a link with the name of a file
that leads to a folder. It stands where a file belongs, and what that folder holds is not what was asked for.
"""

import os

_OF_FILES = (".json", ".jsonl", ".jsonl.gz", ".toml", ".txt")


def is_folder(path: str) -> bool:
    """Whether the path means a folder. With a slash at its end it does, whatever it leads to."""
    return os.path.isdir(path) and not (path.endswith(_OF_FILES) and os.path.islink(path))
