"""Appends what is there now to the record that a run keeps of its earlier states, where its layout keeps one."""

from collections.abc import Mapping
from typing import Any

from runaudit.layouts import layout_named
from runaudit.layouts.base import Recorder, Target
from runaudit.usecases.target import target_at
from runaudit.write.append import append_line


def record_event(layout: str, folder: str, event: str, result: Mapping[str, Any] | None = None) -> None:
    """Records `event` of the run of that layout in `folder`: `start`, `attempt` (of `result`), `end`, `summary`.

    Raises OutputError when the record cannot be appended to, KeyError when there is no such layout.
    """
    _record(layout_named(layout), Target(layout=layout, folder=folder, name=""), event, result)


def record_state(path: str) -> None:
    """Records the state of the run at `path`, before it is summarised; nothing when it is recorded already.

    Raises InputError and UsageError when there is not one run, OutputError when the record cannot be appended to.
    """
    layout, target = target_at(path)
    _record(layout, target, "summary", None)


def _record(layout: object, target: Target, event: str, result: Mapping[str, Any] | None) -> None:
    if not isinstance(layout, Recorder):
        return
    addition = layout.record(target, event, result)
    if addition is not None:
        append_line(*addition)
