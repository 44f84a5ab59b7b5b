"""Where job logs come from: local files, and Ray's job-log endpoint. A log is a job's name and its lines."""

import os
from collections.abc import Iterator, Sequence
from typing import BinaryIO
from urllib.parse import quote

from runaudit.errors import InputError
from runaudit.layouts.games.mining import JobLog, mine
from runaudit.layouts.games.names import shown
from runaudit.model.trouble import Trouble
from runaudit.read.documents import decode_json, unreadable
from runaudit.read.places import Places, Sight, open_plain
from runaudit.read.web import fetch, without_password

SECONDS = 30.0
_LONGEST_LINE = 8 << 20


def mine_file(told: str, *, cap: int | None = None) -> list[JobLog]:
    """The log at a path, or all logs in a folder, by name. `JOB=PATH` names the job, else the file's name does.

    A link at the path itself is followed: the user named it. One in a folder may not leave that folder. Raises
    InputError when a log cannot be read.
    """
    job, path = _named(told)
    real = os.path.realpath(path)
    sight = Places([os.path.dirname(real)], beyond=True).look(real)
    if sight.kind != "folder":
        return [_mined(sight, path, job, cap)]
    places = Places([sight.real])
    names = sorted(name for name in os.listdir(sight.real) if not name.startswith("."))
    files = [name for name in names if os.path.isfile(os.path.join(sight.real, name))]
    return [_mined(places.look(name), os.path.join(path, name), None, cap) for name in files]


def _mined(sight: Sight, path: str, job: str | None, cap: int | None) -> JobLog:
    trouble = sight.trouble("file")
    if trouble is not None or sight.kind != "file":
        raise InputError(f"{shown(path)}: {trouble.message if trouble else 'no such log'}")
    name = os.path.basename(path).removesuffix(".log")
    try:
        descriptor = open_plain(sight.real)
        with open(descriptor, "rb") as file:
            return mine(shown(job or name), _lines(file), cap=cap)
    except OSError as error:
        raise InputError(f"{shown(path)}: {unreadable(error).message}") from error


def _named(told: str) -> tuple[str | None, str]:
    job, sign, path = told.partition("=")
    return (job, path) if sign and job and "/" not in job and not os.path.lexists(told) else (None, told)


def _lines(file: BinaryIO) -> Iterator[str]:
    """Lines that end in LF; a longer one than any entry can be comes in pieces."""
    while line := file.readline(_LONGEST_LINE):
        yield line.decode("utf-8", "replace")


def mine_dashboard(
    url: str, job: str, *, seconds: float = SECONDS, cap: int | None = None, limit: int | None = None
) -> JobLog:
    """The log that Ray's dashboard at `url` serves for a job: GET /api/jobs/JOB/logs answers {"logs": "…"}.

    Raises InputError.
    """
    address = f"{url.rstrip('/')}/api/jobs/{quote(job, safe='')}/logs"
    body = fetch(address, seconds=seconds) if limit is None else fetch(address, seconds=seconds, limit=limit)
    document = decode_json(body)
    if isinstance(document, Trouble):
        raise InputError(f"{without_password(address)}: {document.message}")
    logs = document.value.get("logs") if isinstance(document.value, dict) else None
    if not isinstance(logs, str):
        raise InputError(f'{without_password(address)}: expected an object with a text under "logs"')
    return mine(shown(job), logs.removesuffix("\n").split("\n") if logs else [], cap=cap)


def all_distinct(logs: Sequence[JobLog]) -> tuple[JobLog, ...]:
    """The logs with names of their own: a second log of one name is numbered."""
    used: dict[str, int] = {}
    found = []
    for log in logs:
        used[log.job] = used.get(log.job, 0) + 1
        name = log.job if used[log.job] == 1 else f"{log.job} ({used[log.job]})"
        found.append(JobLog(name, log.lines, log.entries, log.findings, log.lower_bound))
    return tuple(found)
