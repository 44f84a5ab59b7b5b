"""The options of `summarize`, which `run` shares, and how they become a request."""

import os
import re
from collections.abc import Callable
from typing import Any

import click

from runaudit.errors import UsageError
from runaudit.model.request import DEFAULT_MOST_ROW, Request
from runaudit.usecases.summarize import Options
from runaudit.usecases.told import existing, unvalidated_in

_SIZE = re.compile(r"(\d+)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SHARED: list[Any] = [
    click.option("--resumed", is_flag=True, help="The run resumed an earlier one: take no signatures into account."),
    click.option("--expected", metavar="FILE", help="JSONL of the input rows that the run owed."),
    click.option("--split", default="validation", show_default=True, help="Split that names the collated input."),
    click.option("--rows", metavar="FILE", help="The prepared rows (default: looked for beside the rollouts)."),
    click.option("--run-config", metavar="FILE", help="The run config (default: looked for beside the rows)."),
    click.option("--unvalidated", metavar="FILE", help="JSON: task id to reason, tasks without a reference solution."),
    click.option("--skipped", metavar="FILE", help="JSON: task id to reason, tasks that did not load."),
    click.option("--target", help="What the command ran, for the record."),
    click.option("--taskset", help="The task set, for the record."),
    click.option("--agent", help="The agent, for the record; also picks run_config_<agent>.yaml."),
    click.option("--dataset", help="The dataset, for the record."),
    click.option("--map", "maps", multiple=True, metavar="OLD=NEW", help="Recorded paths below OLD now lie below NEW."),
    click.option("--relocate", is_flag=True, help="Resolve dead recorded paths by their ends inside this folder."),
    click.option("--digest", type=click.Choice(["xxh3", "sha256", "none"]), default="xxh3", show_default=True),
    click.option("--pass-at", type=float, help="The reward from which a task has passed."),
    click.option("--redact", multiple=True, metavar="PREFIX", help="Take this prefix out of paths and messages."),
    click.option("--no-messages", is_flag=True, help="Leave failure messages out."),
    click.option("--max-row", default="256MiB", show_default=True, metavar="SIZE", help="Larger rows are not parsed."),
    click.option("--require-complete", is_flag=True, help="Missing and failed tasks are errors."),
]


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that `summarize` and `run` share."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


def size_of(text: str) -> int:
    """Bytes of a size such as 256MiB. Raises UsageError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or not int(match[1]):
        raise UsageError(f"--max-row {text}: expected a size such as 256MiB")
    return int(match[1]) * int(1024 ** _UNITS[match[2].upper()])


def maps_of(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pairs of old and new prefix. Raises UsageError."""
    pairs = []
    for text in texts:
        old, sign, new = text.partition("=")
        if not sign or not old or not new:
            raise UsageError(f"--map {text}: expected OLD=NEW")
        pairs.append((old, new))
    return tuple(pairs)


def options_from(signatures: str | None, values: dict[str, Any], *, write_empty: bool) -> Options:
    """The parsed options. Raises UsageError, and InputError for told lists that cannot be read."""
    digest = values["digest"]
    request = Request(
        expected=existing(values["expected"]),
        resumed=True if values["resumed"] else None,
        split=values["split"],
        rows=existing(values["rows"]),
        run_config=existing(values["run_config"]),
        unvalidated=unvalidated_in(values["unvalidated"]),
        skipped=existing(values["skipped"]),
        target=values["target"],
        taskset=values["taskset"],
        agent=values["agent"],
        dataset=values["dataset"],
        map=maps_of(values["maps"]),
        relocate=values["relocate"],
        digest=None if digest == "none" else digest,
        pass_at=values["pass_at"],
        messages=not values["no_messages"],
        max_row=size_of(values["max_row"]) if values["max_row"] else DEFAULT_MOST_ROW,
        workers=workers(),
    )
    return Options(
        request=request,
        signatures=signatures if signatures in (None, "none") else existing(signatures),
        redact=tuple(values["redact"]),
        require_complete=values["require_complete"],
        write_empty=write_empty,
    )


def workers() -> int:
    """As many processes as this one may use processors."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
