"""Which rules the writer of a job followed, from the version that the job's lock records.

Every difference between versions that a number can depend on is a property here. Without a recorded version the shape
of the documents says what it can; what remains unknown is None, never assumed.
"""

import re
from typing import Any

import msgspec

from runaudit.layouts.json_fields import at, mapping, text

_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?")
_FULL_RULES_FROM = (0, 6, 0)
_JSON_WINS_FROM = (0, 9, 0)
_TEXT_WON_UP_TO = (0, 6, 6)
_DROPPED_FROM = (0, 26, 0)
_FINITE_FROM = (0, 19, 0)
_UTC_FROM = (0, 1, 45)
_PASS_AT_FROM = (0, 4, 0)
_TOTALS_FROM = (0, 6, 0)


class Writer(msgspec.Struct, frozen=True):
    """The version that wrote a job, or None; `drops` whether its results say that invalid rewards are left out."""

    version: str | None = None
    parts: tuple[int, int, int] | None = None
    basis: str | None = None
    marked: bool = False

    def since(self, first: tuple[int, int, int]) -> bool | None:
        """Whether the writer is at least that version; None when the version is unknown."""
        return None if self.parts is None else self.parts >= first

    @property
    def json_wins(self) -> bool | None:
        """Whether reward.json goes before reward.txt. Between 0.6.6 and 0.9.0 nobody looked."""
        if self.parts is None:
            return None
        return True if self.parts >= _JSON_WINS_FROM else (False if self.parts <= _TEXT_WON_UP_TO else None)

    @property
    def drops_invalid(self) -> bool | None:
        """Whether a trial without a valid reward is left out of means (from 0.26) or counts as zero."""
        return True if self.marked and self.parts is None else self.since(_DROPPED_FROM)

    @property
    def wants_finite(self) -> bool | None:
        """Whether a reward that is not finite is refused."""
        return self.since(_FINITE_FROM)

    @property
    def counts_step_errors(self) -> bool:
        """Whether an exception of one step counts as an exception of the trial."""
        return self.drops_invalid is True

    @property
    def states_pass_at(self) -> bool:
        """Whether a result without pass@k means that there is none. Names used up to 0.4 leave that open."""
        return self.version is not None and self.since(_PASS_AT_FROM) is True

    @property
    def states_totals(self) -> bool:
        """Whether the job's result sums tokens and cost."""
        return self.since(_TOTALS_FROM) is True

    @property
    def trial_times_are_utc(self) -> bool:
        """Whether trial times are UTC; in the first releases they were the machine's local time."""
        return self.since(_UTC_FROM) is not False

    @property
    def full_rules(self) -> bool | None:
        """Whether every rule of this layout was written for this version."""
        return self.since(_FULL_RULES_FROM)


def parse(version: str | None) -> tuple[int, int, int] | None:
    """The first three numbers of a version; None when there are none."""
    found = _VERSION.match(version or "")
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def writer_of(config: Any, lock: Any, result: Any, trial_results: list[dict[str, Any]]) -> Writer:
    """What is known of the writer: the lock says it; else names that only old or only new releases use."""
    version = text(at(lock, "harbor", "version"))
    if (parts := parse(version)) is not None:
        return Writer(version=version, parts=parts, basis="lock.json")
    stats = mapping(at(result, "stats"))
    if "schema_version" in mapping(result) or any("reward_valid" in trial for trial in trial_results):
        return Writer(basis="reward_valid in the results: 0.26 or newer", marked=True)
    if "orchestrator" in mapping(config) or ("n_trials" in stats and "n_completed_trials" not in stats):
        return Writer(parts=(0, 4, 0), basis="names used up to 0.4")
    return Writer()
