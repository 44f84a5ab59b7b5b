"""What a renderer is told besides the report. Colour comes in as a function: renderers know no terminal."""

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from runaudit.model.finding import Definition

Role = Literal["pass", "fail", "inconclusive", "error", "warning", "note", "title", "dim"]
Style = Callable[[Role, str], str]

PLACES_SHOWN = 20


def plain(role: Role, text: str) -> str:  # noqa: ARG001  # the signature of every style
    """The style without colours."""
    return text


class RenderOptions(msgspec.Struct, frozen=True):
    """How a report is shown.

    `base` leads from the repository's root to the audited folder: annotations and SARIF name files below it.
    `definitions` explain finding ids where a format carries explanations.
    """

    every_place: bool = False
    width: int = 100
    style: Style = plain
    definitions: Mapping[str, Definition] = {}
    base: str = ""
    tool_version: str = "0"

    @property
    def places(self) -> int | None:
        """How many places of a group are shown; None for all."""
        return None if self.every_place else PLACES_SHOWN
