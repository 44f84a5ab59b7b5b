"""The run summary of a folder that has none, made in memory: nothing is written."""

from runaudit.usecases.summarize import Options, build


def summarise_in_memory(folder: str) -> bytes:
    """The bytes that `summarize` would write for the one run in a folder.

    Raises InputError when no run is recognised there, UsageError when there are several.
    """
    return b"".join(build(folder, Options(write_empty=False)).chunks())
