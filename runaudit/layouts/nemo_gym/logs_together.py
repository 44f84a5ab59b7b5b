"""Reads many log folders, shared out to several processes where there are enough of them."""

from collections.abc import Iterator, Sequence

import msgspec

from runaudit.layouts.nemo_gym.logs import LogFolder, read_log_folder
from runaudit.model.digest import Algorithm
from runaudit.read.places import Places, Sight
from runaudit.read.workers import shared_out

# below this many, starting the processes takes longer than reading
_TOGETHER_ABOVE = 500
_PART = 256
_DECODER = msgspec.msgpack.Decoder(list[LogFolder])

Wanted = tuple[Sight, str]


def read_log_folders(
    wanted: Sequence[Wanted], places: Places, algorithm: Algorithm | None, workers: int = 1
) -> Iterator[LogFolder]:
    """What `read_log_folder` says of each, in order: folders as they were seen, with their paths in documents."""

    def packed(part: Sequence[Wanted]) -> bytes | list[LogFolder]:
        folders = [read_log_folder(sight, path, places, algorithm) for sight, path in part]
        try:
            # far cheaper to send than the values
            return msgspec.msgpack.encode(folders)
        except UnicodeEncodeError:
            return folders

    if workers < 2 or len(wanted) < _TOGETHER_ABOVE:  # noqa: PLR2004  # one is this process
        yield from (read_log_folder(sight, path, places, algorithm) for sight, path in wanted)
        return
    parts = [wanted[start : start + _PART] for start in range(0, len(wanted), _PART)]
    for answer in shared_out(parts, packed, workers, above=0, part=1):
        yield from _DECODER.decode(answer) if isinstance(answer, bytes) else answer
