"""Writes the demo's run into a folder: first what an earlier run left, then what this run writes.

Every file gets a fixed time, later ones later times, so that the demo shows the same on any machine and file system.
"""

import os
from collections.abc import Iterable
from typing import Any

import orjson

from runaudit.errors import OutputError
from runaudit.usecases import demo_rows
from runaudit.usecases.demo_aggregate import aggregate

ROLLOUTS = "rollouts.jsonl"
SECOND = "second"
_FAILURES = "rollouts_failures.jsonl"
_INPUTS = "rollouts_materialized_inputs.jsonl"
_LOGS = "verifier"
_HOUR = 3600
# Thursday, 1 January 2026, and a fraction: whole seconds would say that the file system keeps no finer ones
_START = 1_767_225_600.25


def write_earlier(folder: str) -> None:
    """Prepared rows, and the failures sidecar that an earlier run left. Raises OutputError."""
    _Writer(folder, _START).earlier()


def write_run(folder: str) -> tuple[str, ...]:
    """What the run writes, in its order. Returns the names at the top of the folder. Raises OutputError."""
    return _Writer(folder, _START + 24 * _HOUR).run()


def write_second(folder: str) -> tuple[str, ...]:
    """A second run of the same tasks, in a folder of its own. Returns the names in it. Raises OutputError."""
    names = _Writer(os.path.join(folder, SECOND), _START + 48 * _HOUR).second()
    return tuple(f"{SECOND}/{name}" for name in names)


class _Writer:
    def __init__(self, folder: str, time: float) -> None:
        self._folder = folder
        self._time = time
        self._names: dict[str, None] = {}

    def earlier(self) -> None:
        self._rows("tasks.jsonl", (demo_rows.task(number) for number in range(len(demo_rows.TASKS))))
        self._rows(_FAILURES, demo_rows.earlier_failures())

    def run(self) -> tuple[str, ...]:
        self._rows(_INPUTS, demo_rows.inputs())
        for attempt in demo_rows.WITH_A_ROW:
            if attempt.logged is not None:
                folder = f"{_LOGS}/{attempt.log_name}"
                self._write(f"{folder}/reward.txt", f"{attempt.logged}\n".encode())
                self._write(f"{folder}/test-stdout.txt", b"1 test ran\n")
        self._rows(ROLLOUTS, demo_rows.rollouts(demo_rows.WITH_A_ROW, os.path.join(self._folder, _LOGS)))
        self._write("rollouts_aggregate_metrics.json", orjson.dumps(aggregate(), option=orjson.OPT_INDENT_2))
        self._rows("rollout_verdicts.jsonl", demo_rows.verdicts())
        self._write("quality_summary.json", orjson.dumps({"run": {"rollouts": os.path.join(self._folder, ROLLOUTS)}}))
        return tuple(self._names)

    def second(self) -> tuple[str, ...]:
        self._rows(_INPUTS, demo_rows.inputs())
        self._rows(ROLLOUTS, demo_rows.rollouts(demo_rows.SECOND, ""))
        return tuple(self._names)

    def _rows(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        self._write(name, b"".join(orjson.dumps(row) + b"\n" for row in rows))

    def _write(self, name: str, data: bytes) -> None:
        path = os.path.join(self._folder, name)
        self._time += 1
        self._names[name.partition("/")[0]] = None
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
            os.utime(path, (self._time, self._time))
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
