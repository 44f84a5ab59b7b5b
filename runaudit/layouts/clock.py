"""Times as documents state them. Some carry their zone, others do not: the two are never compared."""

from datetime import datetime


def instant(stated: str | None) -> datetime | None:
    """A time that carries its zone; None for a local one, and for text that is no time."""
    moment = parsed(stated)
    return moment if moment is not None and moment.tzinfo is not None else None


def parsed(stated: str | None) -> datetime | None:
    """The time that the text states, with or without a zone."""
    try:
        return datetime.fromisoformat(stated) if stated else None
    except ValueError:
        return None


def seconds(started: str | None, finished: str | None) -> float | None:
    """Seconds between two times of one clock, to the microsecond; None when they cannot be compared."""
    first, last = parsed(started), parsed(finished)
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return None
    try:
        return round((last - first).total_seconds(), 6)
    except OverflowError:
        return None
