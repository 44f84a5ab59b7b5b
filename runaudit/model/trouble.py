"""What could not be looked at, as a value that travels down the same pipe as what could."""

import msgspec

from runaudit.model.finding import Finding


class Trouble(msgspec.Struct, frozen=True):
    """Why something could not be read: the finding id, a sentence, and the place inside the file."""

    id: str
    message: str
    line: int | None = None
    offset: int | None = None

    def at(self, path: str) -> Finding:
        """The trouble as a finding about the file at `path`."""
        return Finding(id=self.id, message=self.message, path=path, line=self.line, offset=self.offset)
