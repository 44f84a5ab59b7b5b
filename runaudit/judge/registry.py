"""The findings that do not depend on a producer. Layouts, manifests, claims and games add their own beside their rules.

One meaning per id; ids are never reused. `usecases.registry` joins all of them; `runaudit explain` prints them.
"""

from runaudit.judge.files_registry import FILES
from runaudit.judge.rows_registry import ROWS
from runaudit.model.finding import Definition, Finding, Level

CORE: tuple[Definition, ...] = (*ROWS, *FILES)


def by_id(definitions: tuple[Definition, ...]) -> dict[str, Definition]:
    """The definitions by id. Raises ValueError when an id is defined twice."""
    table = {definition.id: definition for definition in definitions}
    if len(table) != len(definitions):
        names = [definition.id for definition in definitions]
        raise ValueError(f"defined twice: {sorted({name for name in names if names.count(name) > 1})}")
    return table


def stated_level(finding: Finding, registry: dict[str, Definition], *, verifying: bool = False) -> Level:
    """The level of a finding: its own, else the registry's, where `verify` can be stricter than `summarize`."""
    definition = registry[finding.id]
    if verifying and definition.verify_level is not None:
        return definition.verify_level
    level = finding.level or definition.level
    if level is None:
        raise ValueError(f"{finding.id} stops the command and is no finding of a document")
    return level
