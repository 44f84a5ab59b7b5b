"""The second part of a shown summary: what is wrong, the worst first, and what could not be looked at."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from runaudit.model.finding import Group
from runaudit.model.stored import StoredSummary
from runaudit.render import wording
from runaudit.render.page import Page

_FIRST_PLACES = {"error": 3, "warning": 3, "note": 0}
_MOST_CLASSES = 10
_MOST_REASONS = 3
_MOST_IDS = 3


def findings(page: Page, summary: StoredSummary) -> None:
    """Errors and warnings with their first places; of notes one line each."""
    if not summary.findings:
        page.heading("Nothing is wrong: no findings")
        return
    page.heading(f"What is wrong: {_by_level(summary)}")
    for group in summary.findings:
        _group(page, group)


def _by_level(summary: StoredSummary) -> str:
    found: Counter[str] = Counter()
    for group in summary.findings:
        found[group.level] += group.count
    return ", ".join(f"{found[level]:,} {level}{'s' if found[level] != 1 else ''}" for level in found)


def _group(page: Page, group: Group) -> None:
    page.item(f"{group.level} {group.id}: {group.title}, {wording.counted(group)}", role=group.level)
    if group.configured:
        page.point(f"level configured: {group.configured}", role="dim")
    most = len(group.places) if page.options.every_place else _FIRST_PLACES[group.level]
    for place in group.places[:most]:
        page.point(wording.place_text(place))
    left = group.count - min(most, len(group.places))
    if left and group.level != "note":
        beyond = group.count - len(group.places)
        page.point(_more(left, beyond), role="dim")


def _more(left: int, beyond: int) -> str:
    if not beyond:
        return f"{left:,} more (--all)"
    listed = f", {left - beyond:,} of them with --all" if left > beyond else ""
    return f"{left:,} more{listed}; the summary lists the first 20"


def failures(page: Page, summary: StoredSummary) -> None:
    """Failed tasks and repeats by the class of their last failure."""
    classes: Counter[str] = Counter()
    attempts: Counter[str] = Counter()
    terminal: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for task in summary.tasks:
        failure = task.failure
        if task.outcome != "failed" or failure is None:
            continue
        name = failure.failure_class or failure.kind or "no class stated"
        classes[name] += 1
        attempts[name] += failure.attempts
        terminal[name] += failure.terminal is True
        if failure.kind and failure.failure_class:
            kinds[name][failure.kind] += 1
    if not classes:
        return
    page.heading(f"Failures by class: {sum(classes.values()):,} of {summary.counts.selected:,} selected")
    ordered = sorted(classes, key=lambda name: (-classes[name], name))
    most = len(ordered) if page.options.every_place else _MOST_CLASSES
    page.table((name, _failure(classes[name], attempts[name], terminal[name], kinds[name])) for name in ordered[:most])
    if len(ordered) > most:
        page.item(f"{len(ordered) - most:,} more classes (--all)", role="dim")


def _failure(count: int, attempts: int, terminal: int, kinds: Mapping[str, int]) -> str:
    told = [f"{attempts:,} attempt{'s' if attempts != 1 else ''}"]
    if terminal:
        told.append(f"{terminal:,} given up")
    told += [f"{kind} {number:,}" for kind, number in sorted(kinds.items())[:_MOST_REASONS]]
    return f"{count:,}  ({', '.join(told)})"


def left_out(page: Page, summary: StoredSummary) -> None:
    """Tasks that have no entry, by the reason."""
    for title, reasons in (("Unvalidated", summary.unvalidated), ("Skipped", summary.skipped)):
        if reasons:
            page.heading(f"{title}: {len(reasons):,} tasks, in none of the counts above")
            _reasons(page, reasons)


def _reasons(page: Page, reasons: Mapping[str, str]) -> None:
    ids: dict[str, list[str]] = defaultdict(list)
    for name, reason in reasons.items():
        ids[reason].append(name)
    ordered = sorted(ids, key=lambda reason: (-len(ids[reason]), reason))
    most = len(ordered) if page.options.every_place else _MOST_REASONS
    for reason in ordered[:most]:
        names = ids[reason]
        shown = names if page.options.every_place else names[:_MOST_IDS]
        more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
        page.item(f"{len(names):,}  {reason}: {', '.join(shown)}{more}")
    if len(ordered) > most:
        page.item(f"{len(ordered) - most:,} more reasons (--all)", role="dim")


def checks(page: Page, summary: StoredSummary) -> None:
    """Checks that were not made, those that are owed first."""
    unmade = sorted((check for check in summary.checks if not check.made), key=lambda check: not check.belongs)
    if unmade:
        page.heading("Not checked")
        for check in unmade:
            page.item(wording.check_line(check))
