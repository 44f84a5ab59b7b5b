"""What a path means that somebody named on the command line: a file or a folder.

A path that is named may be a link, for the user chose it. One thing is not meant: a folder, or a link to one, under the
name of a file. It stands where a file belongs, and what it holds is not what was asked for.
"""

import os

_OF_FILES = (".json", ".jsonl", ".jsonl.gz", ".toml", ".txt")


def is_folder(path: str) -> bool:
    """Whether the path means a folder. With a slash at its end it does, whatever its name is."""
    return os.path.isdir(path) and not path.endswith(_OF_FILES)
