"""The last part of a shown summary: where everything is, relative to the folder of the summary."""

from collections.abc import Iterator, Sequence
from typing import Any

from runaudit.model.stored import StoredSummary
from runaudit.render.page import Page

_MOST_PATHS = 3


def files(page: Page, summary: StoredSummary) -> None:
    """The files by key, the log folders, what was not taken for this run's, and what is not there."""
    page.heading("Where things are (relative to the folder of the summary)")
    every = page.options.every_place
    page.table([*_listed(summary.files, every=every), *_logs(summary, every=every)])
    absent = [key for key, value in summary.files.items() if value is None]
    if absent:
        page.item(f"none of this run: {', '.join(absent)}", role="dim")
    _others(page, summary)


def _listed(files: dict[str, Any], *, every: bool) -> Iterator[tuple[str, str]]:
    for key, value in files.items():
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, list) and value:
            yield from _several(key, [str(path) for path in value], every=every)


def _several(key: str, paths: Sequence[str], *, every: bool) -> Iterator[tuple[str, str]]:
    most = len(paths) if every else _MOST_PATHS
    yield from zip([key, *[""] * (most - 1)], paths[:most], strict=False)
    if len(paths) > most:
        yield "", f"{len(paths) - most:,} more (--all)"


def _logs(summary: StoredSummary, *, every: bool) -> Iterator[tuple[str, str]]:
    for label, paths in (
        ("verifier_logs", [task.verifier_logs for task in summary.tasks if task.verifier_logs]),
        ("trajectory", [task.trajectory for task in summary.tasks if task.trajectory]),
    ):
        if paths:
            parents = sorted({path.rpartition("/")[0] or "." for path in paths})
            most = len(parents) if every else _MOST_PATHS
            more = f" and {len(parents) - most:,} more folders (--all)" if len(parents) > most else ""
            below = ", ".join(f"{parent}/" for parent in parents[:most])
            yield label, f"{below}{more}  ({len(paths):,} of {len(summary.tasks):,} tasks and repeats)"


def _others(page: Page, summary: StoredSummary) -> None:
    every = page.options.every_place
    _paths(page, "Left by an earlier run, not read", [stale.path for stale in summary.stale_files], every=every)
    aside = [f"{other.path} ({other.reason})" for other in summary.set_aside]
    _paths(page, "Set aside, not taken for this run's", aside, every=every)
    missing = [f"{gone.path} ({gone.field})" for gone in summary.missing_paths]
    _paths(page, "Named by results and not on disk", missing, every=every)


def _paths(page: Page, title: str, paths: Sequence[str], *, every: bool) -> None:
    if not paths:
        return
    page.heading(f"{title}: {len(paths):,}")
    shown = paths if every else paths[:_MOST_PATHS]
    for path in shown:
        page.item(path)
    if len(paths) > len(shown):
        page.item(f"{len(paths) - len(shown):,} more (--all)", role="dim")
