"""What a layout is: the one interface between a producer's folders and everything else.

Adding a producer is one sub-package that implements this, its fixtures, and one line in `layouts/__init__.py`.
"""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

from runaudit.model.account import Account
from runaudit.model.digest import Algorithm
from runaudit.model.finding import Definition, Finding
from runaudit.model.request import Request
from runaudit.model.signature import OutputSignatures
from runaudit.model.task import TaskEvidence
from runaudit.read.places import Places


class Target(msgspec.Struct, frozen=True):
    """One run that lies at a place: its folder, the name that the user would give for it, and its layout's name.

    `name` is relative to the folder: the rollouts file of a NeMo Gym run, "" for a job folder that is the run.
    """

    layout: str
    folder: str
    name: str


class Layout(Protocol):
    """A producer's folders. Implementations are stateless."""

    name: str
    definitions: tuple[Definition, ...]

    def recognise(self, path: str) -> tuple[Target, ...]:
        """The runs that lie at `path`: a file, or a folder that holds some. Empty when this is not its layout."""
        ...

    def summary_path(self, target: Target) -> str:
        """Where the run's summary belongs."""
        ...

    def alternative_summary_path(self, target: Target) -> str:
        """Where it goes when the producer has a document of its own under that name."""
        ...

    def signatures_path(self, target: Target) -> str:
        """Where the run's signatures belong."""
        ...

    def sign(self, target: Target) -> OutputSignatures:
        """What sits under the run's output names now. Raises InputError when that cannot be looked at."""
        ...

    def exists(self, target: Target) -> bool:
        """Whether anything at all lies under the run's names."""
        ...

    def target_of(self, summary_path: str, document: Mapping[str, Any]) -> Target:
        """The run that a summary at this path describes."""
        ...

    def entry_key(self, entry: Mapping[str, Any]) -> str:
        """The key of a document's entry in `Recorded.log_folders`."""
        ...

    def account(self, target: Target, request: Request) -> Account:
        """Locates, reads and judges the run. Raises InputError for told files that cannot be interpreted."""
        ...


@runtime_checkable
class LogReader(Protocol):
    """A layout whose log folders are found through rows, so that one can be there whose row is gone."""

    def log_evidence(
        self, places: Places, logs: str, algorithm: Algorithm | None
    ) -> tuple[TaskEvidence | None, list[Finding]]:
        """What a log folder of a document holds now, and what could not be looked at."""
        ...


@runtime_checkable
class Recorder(Protocol):
    """A layout whose runs keep a record of their own earlier states, in a file that is only ever appended to."""

    def record(self, target: Target, event: str, result: Mapping[str, Any] | None = None) -> tuple[str, bytes] | None:
        """The line that belongs appended, as the file's path and bytes; None when there is nothing to record.

        `event` is `start`, `attempt` (of the given result), `end`, or `summary`.
        """
        ...
