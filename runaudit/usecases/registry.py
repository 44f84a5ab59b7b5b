"""All findings that runaudit knows: the core's, and what layouts and the other tools add."""

from functools import cache
from importlib import import_module

from runaudit.judge.registry import CORE, by_id
from runaudit.model.finding import Definition

# Each module holds a tuple DEFINITIONS. Named here and imported when needed: starting up must not load every rule.
SOURCES: tuple[str, ...] = (
    "runaudit.layouts.nemo_gym.findings",
    "runaudit.layouts.games.findings",
    "runaudit.manifests.findings",
    "runaudit.claims.findings",
    "runaudit.layouts.harbor.findings",
)


@cache
def definitions() -> dict[str, Definition]:
    """Every definition by id. Raises ValueError when an id is defined twice."""
    more: list[Definition] = []
    for source in SOURCES:
        more.extend(definitions_of(source))
    return by_id((*CORE, *more))


def definitions_of(source: str) -> tuple[Definition, ...]:
    """The definitions that one of SOURCES adds."""
    added: tuple[Definition, ...] = import_module(source).DEFINITIONS
    return added
