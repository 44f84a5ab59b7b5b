"""Reads a YAML document with the safe loader: nothing in it is executed. Bounded like every document."""

from typing import Any

from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Sight

LARGEST_YAML = 8 << 20


def read_yaml(sight: Sight) -> Any | Trouble:
    """The value of a YAML file; a Trouble when it cannot be read or parsed."""
    data = read_bytes(sight, LARGEST_YAML)
    if isinstance(data, Trouble):
        return data
    import yaml  # noqa: PLC0415  # costs a tenth of a small run's whole time, and most commands need none

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(data, Loader=loader)  # noqa: S506  # a safe loader, the C one where it is there
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Trouble(id="document-unreadable", message=f"no YAML: {str(error).splitlines()[0]}")
