"""Reads the ledger of a job folder, and makes the line that belongs appended to it."""

import os
from collections.abc import Mapping
from typing import Any

from runaudit.layouts.harbor import names
from runaudit.layouts.harbor.ledger import ATTEMPT, Attempt, Ledger, line_of, parse_ledger
from runaudit.layouts.harbor.ledger_state import ended, state_of
from runaudit.layouts.harbor.locate import job_folder
from runaudit.layouts.harbor.read_trial import read_trial
from runaudit.layouts.json_fields import at, count, mapping, text
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes, read_json
from runaudit.read.places import Places, Sight


def read_ledger(sight: Sight) -> Ledger | Trouble | None:
    """The ledger at `sight`; None when there is none."""
    if not sight.present:
        return None
    data = read_bytes(sight)
    return data if isinstance(data, Trouble) else parse_ledger(data)


def ledger_line(folder: str, event: str, result: Mapping[str, Any] | None = None) -> bytes | None:
    """The line that records `event` in the job at `folder`; None when there is nothing to record.

    `attempt` records the given result of a trial; `start`, `end` and `summary` the state of the folder. A summary that
    sees what was recorded last adds nothing, so that summarizing twice gives the same ledger.
    """
    places = Places([folder])
    if event == ATTEMPT:
        ran = dict(result or {})
        attempt = ended(ran)
        return None if attempt is None else line_of(event, [attempt], text(at(ran, "config", "job_id")))
    found = job_folder(places, folder)
    trials = [read_trial(places, folder, name, None)[0] for name in found.trials]
    state = state_of(places, folder, trials)
    if event == "summary":
        ledger = read_ledger(found.files["ledger"])
        if isinstance(ledger, Trouble) or (ledger is None and not state) or _recorded(ledger, state):
            return None
    return line_of(event, state, _job_id(found.files["result"]))


def _recorded(ledger: Ledger | None, state: list[Attempt]) -> bool:
    last = ledger.last_state if ledger is not None else None
    return last is not None and line_of("summary", list(last.attempts), None) == line_of("summary", state, None)


def _job_id(sight: Sight) -> str | None:
    document = read_json(sight) if sight.kind == "file" else None
    return None if document is None or isinstance(document, Trouble) else text(mapping(document.value).get("id"))


def may_retry(config: dict[str, Any]) -> bool:
    """Whether the job's configuration lets Harbor run a failed attempt again."""
    return bool(count(mapping(config.get("retry")).get("max_retries")))


def ledger_path(folder: str) -> str:
    """Where the ledger of the job at `folder` lies."""
    return os.path.join(folder, names.LEDGER)
