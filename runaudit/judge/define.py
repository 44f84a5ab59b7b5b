"""How a finding is defined: one call, one meaning, one id that is never reused."""

from runaudit.model.finding import Definition, Level


def define(
    name: str, level: Level | None, title: str, meaning: str, remedy: str, *, verify: Level | None = None
) -> Definition:
    """A definition in one line; `verify` is the stricter level that `verify` gives the finding."""
    return Definition(id=name, level=level, title=title, meaning=meaning, remedy=remedy, verify_level=verify)
