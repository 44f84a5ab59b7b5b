"""Levels compared with one another."""

from runaudit.model.finding import LEVELS, Level


def at_least(level: Level, threshold: Level | None) -> bool:
    """Whether a finding of `level` counts where `threshold` is the mildest level that does; None: none counts."""
    return threshold is not None and LEVELS.index(level) <= LEVELS.index(threshold)
