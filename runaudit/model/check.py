"""A check: what was looked at, and if it could not be, why not."""

import msgspec


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """One check that was made, or was not.

    `belongs` says whether a check that was not made is owed by this folder: then it keeps a report from passing.
    """

    name: str
    made: bool
    reason: str | None = None
    belongs: bool = False
    count: int | None = None
