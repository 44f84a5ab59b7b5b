"""Whether file times are sound evidence: an archive or checkout can reset them, coarse ones cannot order a fast run."""

from collections.abc import Sequence

import msgspec

_SECOND = 1_000_000_000
_BEFORE_1981 = 347_155_200 * _SECOND
_ENOUGH = 3


class Times(msgspec.Struct, frozen=True):
    """What is known of a run's file times; both False: nothing speaks against them."""

    reset: bool
    coarse: bool

    @property
    def doubt(self) -> str:
        """What to add to a statement that rests on age."""
        if self.reset:
            return " (low confidence: file times look reset)"
        return " (low confidence: file times are whole seconds)" if self.coarse else ""


def look_at(times_ns: Sequence[int]) -> Times:
    """Judges the modification times of the run's own files."""
    reset = bool(times_ns) and (
        all(time < _BEFORE_1981 for time in times_ns) or (len(times_ns) >= _ENOUGH and len(set(times_ns)) == 1)
    )
    coarse = len(times_ns) >= _ENOUGH and all(time % _SECOND == 0 for time in times_ns)
    return Times(reset=reset, coarse=coarse)
