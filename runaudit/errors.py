"""What runaudit raises on purpose.

Disagreement between pieces of evidence is never an exception, it is a finding. Exceptions are for
input that cannot be interpreted and for output that cannot be written.
"""


class RunauditError(Exception):
    """The base of everything that runaudit raises on purpose."""


class InputError(RunauditError):
    """Something that must be read cannot be interpreted: no such folder, a newer document, nothing recognised."""


class UnsafePathError(InputError):
    """A path leaves the roots that it must stay in, or names a device."""


class UsageError(RunauditError):
    """Options that contradict one another, or a configuration or policy that does not parse."""


class OutputError(RunauditError):
    """A document could not be published; the old one, if there was one, is untouched."""
