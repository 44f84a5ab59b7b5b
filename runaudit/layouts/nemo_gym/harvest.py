"""What one pass over a file of rows brings in: the rows, findings, and what is counted rather than listed.

Harvests of byte ranges of one file are joined in order; the result does not depend on how the file was cut.
"""

import msgspec

from runaudit.layouts.nemo_gym.row_table import RowTable
from runaudit.model.digest import Digest
from runaudit.model.finding import Finding

MOST_REQUEST_VALUES = 16


class Noted(msgspec.Struct):
    """Something that many lines have in common: how many, and the first of them."""

    count: int
    line: int
    offset: int


class Harvest(msgspec.Struct):
    """Rows and findings in file order. `records` counts lines that are not blank, read or not.

    `unplaced` counts rows without indices, `unnamed` those without a task id. `held` is a cut line that is only known
    to be the last one when nothing follows it.
    """

    table: RowTable = msgspec.field(default_factory=RowTable)
    findings: list[Finding] = msgspec.field(default_factory=list)
    notes: dict[str, Noted] = msgspec.field(default_factory=dict)
    task_sources: dict[str, int] = msgspec.field(default_factory=dict)
    requests: dict[str, list[str]] = msgspec.field(default_factory=dict)
    lines: int = 0
    records: int = 0
    omitted: int = 0
    unplaced: int = 0
    unnamed: int = 0
    held: Finding | None = None
    digest: Digest | None = None

    def note(self, what: str, line: int, offset: int) -> None:
        """Counts one line more for `what`."""
        noted = self.notes.get(what)
        if noted is None:
            self.notes[what] = Noted(1, line, offset)
        else:
            noted.count += 1

    def settle(self, *, last: bool) -> None:
        """Turns a held cut line into its finding: torn when nothing follows it, damage otherwise."""
        if self.held is not None:
            torn = msgspec.structs.replace(self.held, id="torn-last-line") if last else self.held
            self.findings.append(torn)
            self.held = None

    def join(self, later: "Harvest") -> None:
        """Appends the harvest of the byte range that follows; its line numbers are counted from its own start."""
        if later.records:
            self.settle(last=False)
        self.table.join(later.table, self.lines)
        self.findings += [_moved(finding, self.lines) for finding in later.findings]
        for what, noted in later.notes.items():
            mine = self.notes.setdefault(what, Noted(0, noted.line + self.lines, noted.offset))
            mine.count += noted.count
        for label, count in later.task_sources.items():
            self.task_sources[label] = self.task_sources.get(label, 0) + count
        for name, values in later.requests.items():
            mine_values = self.requests.get(name, [])
            more = [value for value in values if value not in mine_values]
            self.requests[name] = [*mine_values, *more][:MOST_REQUEST_VALUES]
        if later.held is not None:
            self.held = _moved(later.held, self.lines)
        self.lines += later.lines
        self.records += later.records
        self.omitted += later.omitted
        self.unplaced += later.unplaced
        self.unnamed += later.unnamed


def _moved(finding: Finding, lines: int) -> Finding:
    return finding if finding.line is None else msgspec.structs.replace(finding, line=finding.line + lines)
