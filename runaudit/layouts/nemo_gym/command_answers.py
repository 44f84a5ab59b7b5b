"""What reading a NeMo Gym command line can answer. Three kinds, matched exhaustively by the callers."""

import msgspec


class Recognised(msgspec.Struct, frozen=True):
    """The command writes rollouts to `output` (absolute).

    `resume`: whether the command asks to continue earlier output; None when that cannot be told.
    `resume_needs_inputs`: a resume is a fresh start unless the materialized inputs lie there, too.
    """

    output: str
    resume: bool | None = False
    resume_needs_inputs: bool = True


class Declined(msgspec.Struct, frozen=True):
    """The command line does not say, in a way that can be relied on, where its rollouts go.

    When somebody else says it, the rest of the answer holds: `resume` and `resume_needs_inputs`, as for Recognised.
    """

    reason: str
    resume: bool | None = False
    resume_needs_inputs: bool = True


class NoOutput(msgspec.Struct, frozen=True):
    """The command writes no rollouts: the producer refuses it, or only prints help."""

    reason: str


Answer = Recognised | Declined | NoOutput
