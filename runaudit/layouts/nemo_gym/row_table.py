"""Many rows, gathered one by one or field by field.

Rows that are decoded together are kept as columns: that is cheaper to make, to move by some lines and to send to
another process than a value for each row. They become `Row` values where they are joined with what was owed.
"""

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.row import Row

_FIELDS = Row.__struct_fields__
_DEFAULTS = dict(zip(_FIELDS[-len(Row.__struct_defaults__) :], Row.__struct_defaults__, strict=True))


class Columns(msgspec.Struct):
    """Rows field by field. A field that all rows leave at its default is left out; `line` never is."""

    fields: dict[str, list[Any]]

    def rows(self) -> Iterable[Row]:
        """The rows, in order."""
        given = self.fields
        return map(Row, *(given[name] if name in given else repeat(_DEFAULTS[name]) for name in _FIELDS))


class RowTable(msgspec.Struct):
    """Rows in file order, in parts of either form."""

    parts: list[list[Row] | Columns] = msgspec.field(default_factory=list)

    def add(self, row: Row) -> None:
        """Appends one row."""
        if not self.parts or self.parts[-1].__class__ is Columns:
            self.parts.append([])
        self.parts[-1].append(row)  # type: ignore[union-attr]  # the last part is a list by now

    def extend(self, columns: Columns) -> None:
        """Appends rows that were gathered together."""
        self.parts.append(columns)

    def join(self, later: "RowTable", lines: int) -> None:
        """Appends the rows of the byte range that follows, whose lines come after `lines` others."""
        for part in later.parts:
            columns = _columns_of(part)
            if lines:
                columns.fields["line"] = [line + lines for line in columns.fields["line"]]
            self.parts.append(columns)

    def packed(self) -> "RowTable":
        """The same rows, in columns only: what travels cheaply from one process to another."""
        return RowTable([_columns_of(part) for part in self.parts])

    def take_rows(self) -> Iterator[Row]:
        """All rows, in order. Each part is let go when its rows are made: a large run is not held twice."""
        self.parts.reverse()
        while self.parts:
            part = self.parts.pop()
            yield from part.rows() if isinstance(part, Columns) else part


def _columns_of(part: list[Row] | Columns) -> Columns:
    if isinstance(part, Columns):
        return part
    values = zip(*map(msgspec.structs.astuple, part), strict=True)
    return Columns({name: list(column) for name, column in zip(_FIELDS, values, strict=True)})
