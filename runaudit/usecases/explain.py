"""What a finding means and what to do about it: the text of `runaudit explain`, and the pages in `docs/findings`."""

from collections.abc import Mapping

import msgspec

from runaudit.errors import UsageError
from runaudit.judge.files_registry import FILES
from runaudit.judge.rows_registry import ROWS
from runaudit.model.finding import Definition
from runaudit.model.suggestion import did_you_mean
from runaudit.usecases.registry import SOURCES, definitions, definitions_of


class DefinitionGroup(msgspec.Struct, frozen=True):
    """Definitions that belong together, in the order in which they are defined."""

    title: str
    members: tuple[Definition, ...]


def groups() -> tuple[DefinitionGroup, ...]:
    """Every definition once, by what it is about."""
    core = (
        DefinitionGroup("Tasks and their rows", ROWS),
        DefinitionGroup("Files, paths, rewards and summaries", FILES),
    )
    return (*core, *(DefinitionGroup(_title(source), definitions_of(source)) for source in SOURCES))


def definition(name: str) -> Definition:
    """The definition of a finding id. Raises UsageError when no finding has it."""
    known: Mapping[str, Definition] = definitions()
    if name not in known:
        hint = did_you_mean(name, known) or "; runaudit explain lists them all"
        raise UsageError(f"no finding has the id {name!r}{hint}")
    return known[name]


def level_text(found: Definition) -> str:
    """The level of a finding in words."""
    if found.level is None:
        return "stops the command (exit 3)"
    if found.verify_level is not None and found.verify_level != found.level:
        return f"{found.level}, in verify {found.verify_level}"
    return found.level


def _title(source: str) -> str:
    """A heading for a source of definitions: the layout's or the tool's own name."""
    parts = source.split(".")
    name = parts[2] if parts[1] == "layouts" else parts[1]
    return {"nemo_gym": "NeMo Gym results folders", "harbor": "Harbor job folders"}.get(name, name.capitalize())
