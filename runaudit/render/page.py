"""Collects the lines of a page for a terminal: made printable, wrapped, then coloured, in that order."""

from collections.abc import Iterable

from runaudit.render.columns import GOES_ON, columns_of, padded, wrapped
from runaudit.render.escaping import inert
from runaudit.render.options import RenderOptions, Role

_MARGIN = "  "


class Page:
    """A page that is written from top to bottom. No line is wider than the options say."""

    def __init__(self, options: RenderOptions) -> None:
        self.options = options
        self._lines: list[str] = []
        self._broken = False

    def heading(self, text: str) -> None:
        """The title of a block, after an empty line."""
        self._lines.append("")
        self.line(text, role="title")

    def line(self, text: str, *, role: Role | None = None, lead: str = "", hanging: int | None = None) -> None:
        """One line of text behind `lead`; what does not fit goes on `hanging` columns in (by default below it)."""
        width, safe = self.options.width, inert(text)
        lines = wrapped(safe, width=width, lead=lead, hanging=len(lead) + 2 if hanging is None else hanging)
        # wrapping can put what a workflow runner obeys at the start of a line, and escaping it makes the line longer
        for line in lines if all(inert(line) == line for line in lines) else map(inert, lines):
            self._broken |= line.endswith(GOES_ON) and not safe.endswith(GOES_ON)
            self._lines.append(self.options.style(role, line) if role else line)

    def item(self, text: str, *, role: Role | None = None) -> None:
        """A line inside a block."""
        self.line(text, role=role, lead=_MARGIN)

    def point(self, text: str, *, role: Role | None = None) -> None:
        """A line below an item."""
        self.line(text, role=role, lead=f"{_MARGIN}{_MARGIN}- ", hanging=6)

    def table(self, rows: Iterable[tuple[str, str]]) -> None:
        """Labels and texts, the texts below one another."""
        held = [(inert(label), text) for label, text in rows]
        most = self.options.width // 2
        width = max((columns_of(label) for label, _ in held if columns_of(label) <= most), default=0)
        for label, text in held:
            if columns_of(label) > most:
                self.item(label)
                label = ""  # noqa: PLW2901  # the text goes below a label that is too long to stand beside it
            lead = _MARGIN + padded(label, width) + _MARGIN
            self.line(text, lead=lead, hanging=columns_of(lead))

    def text(self) -> str:
        """The page with a final newline."""
        if self._broken:
            self.line(f"A line that ends in {GOES_ON} goes on in the next one, without a space.", role="dim")
        return "\n".join(self._lines) + "\n"
