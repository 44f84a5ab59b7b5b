"""The lines of a JSONL file as bytes of their own, with their numbers. Plain or gzip; blank lines are left out."""

import os
from collections.abc import Iterator

from runaudit.model.trouble import Trouble
from runaudit.read.blocks import Gzip, Plain, Source
from runaudit.read.documents import unreadable
from runaudit.read.lines import lines_of
from runaudit.read.places import Sight, open_plain


def row_bytes(sight: Sight, most: int) -> Iterator[tuple[int, bytes | Trouble]]:
    """Each line that is not blank: its number, and its bytes without the line feed.

    A Trouble ends the rows: the file cannot be opened (line 0), a line is longer than `most`, the gzip file is cut.
    """
    try:
        descriptor = open_plain(sight.real)
    except OSError as error:
        yield 0, unreadable(error)
        return
    try:
        source: Source = Gzip(descriptor, "sha256") if sight.path.endswith(".gz") else Plain(descriptor, None)
        for line in lines_of(source, most):
            if line.data is None:
                yield line.number, Trouble(id="row-too-large", message=f"a row of {line.length} bytes, at most {most}")
                return
            data = bytes(line.data)
            if data.strip():
                yield line.number, data
        _, trouble = source.end()
        if trouble is not None:
            yield 0, trouble
    except OSError as error:
        yield 0, unreadable(error)
    finally:
        os.close(descriptor)
