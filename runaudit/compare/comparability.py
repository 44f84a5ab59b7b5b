"""Whether two sides of a task were given the same input, by digests alone.

The producer's own digest decides where both sides have one of the same name; else ours, over the materialized row;
else it is unknown, which is neither yes nor no.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from runaudit.compare.document import Attempt, InputFacts

Inputs = Literal["equal", "changed", "unknown"]
_FIRST = "task"


def inputs_of(baseline: Sequence[Attempt], candidate: Sequence[Attempt]) -> Inputs:
    """Whether the inputs of both sides are equal. A side whose own repeats differ is `changed`."""
    if len(baseline) == 1 and len(candidate) == 1:
        return _between(baseline[0].input, candidate[0].input)
    for side in (baseline, candidate):
        if _between_all(side) == "changed":
            return "changed"
    return _between(_known(baseline), _known(candidate))


def _between_all(side: Sequence[Attempt]) -> Inputs:
    first = side[0].input
    if all(attempt.input == first for attempt in side):
        return "equal"
    known = [attempt.input for attempt in side if attempt.input is not None]
    return "changed" if any(_between(known[0], other) == "changed" for other in known[1:]) else "unknown"


def _known(side: Iterable[Attempt]) -> InputFacts | None:
    return next((a.input for a in side if a.input is not None and (a.input.digest or a.input.digests)), None)


def _between(left: InputFacts | None, right: InputFacts | None) -> Inputs:
    if left is None or right is None:
        return "unknown"
    if left.digests and right.digests:
        for name in sorted(left.digests, key=lambda n: (n != _FIRST, n)):
            verdict = same_digest(left.digests[name], right.digests.get(name))
            if verdict is not None:
                return "equal" if verdict else "changed"
    verdict = same_digest(left.digest, right.digest)
    return "unknown" if verdict is None else "equal" if verdict else "changed"


def same_digest(left: Any, right: Any) -> bool | None:
    """Whether two digests (`algorithm:hex` or bare hex) say the same content; None when that cannot be told."""
    if not isinstance(left, str) or not isinstance(right, str) or not left or not right:
        return None
    left_name, _, left_value = left.rpartition(":")
    right_name, _, right_value = right.rpartition(":")
    if left_name and right_name and left_name != right_name:
        return None
    return left_value == right_value


def digest_key(attempts: Sequence[Attempt]) -> str | None:
    """One text that identifies the input, to find a renamed task again; None where no digest is known."""
    facts = _known(attempts)
    if facts is None:
        return None
    own = (facts.digests or {}).get(_FIRST)
    return f"{_FIRST}:{own}" if isinstance(own, str) and own else facts.digest
