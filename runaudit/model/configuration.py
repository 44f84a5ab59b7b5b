"""What a user configures about findings, and the record of what that changed.

A configuration never removes a finding: it moves its level, and every report names the file and each finding that it
moved.
"""

from collections.abc import Mapping
from datetime import date

import msgspec

from runaudit.model.finding import Level


class KnownFinding(msgspec.Struct, frozen=True):
    """A finding that is accepted for a while: shown as a note at paths that match, up to and including `expires`."""

    id: str
    path: str
    reason: str
    expires: date


class Configuration(msgspec.Struct, frozen=True):
    """Levels by finding id, and known findings. `file` and `digest` say where they stand; None for no file."""

    levels: Mapping[str, Level] = {}
    known: tuple[KnownFinding, ...] = ()
    file: str | None = None
    digest: str | None = None


class LevelChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many findings of an id were moved from one level to another; `reason` is that of a known finding."""

    id: str
    before: Level
    after: Level
    count: int
    reason: str | None = None


class ConfigurationUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """The configuration file of a report, what it changed, and its known findings that have expired."""

    file: str
    digest: str
    changes: tuple[LevelChange, ...] = ()
    expired: tuple[KnownFinding, ...] = ()
