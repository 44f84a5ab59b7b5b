"""Reads one YAML settings file with the safe loader. Bounded, never blocking; trouble is a value."""

from typing import Any

import yaml

from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places

LARGEST_SETTINGS = 8 << 20


def read_settings(path: str) -> Any:
    """The document at an absolute path of the user's own; {} when it is empty, None when nothing is there.

    A Trouble when it is no plain file, too large, not readable or no YAML.
    """
    sight = Places([path.rpartition("/")[0] or "/"], beyond=True).look(path)
    if not sight.present:
        return None
    data = read_bytes(sight, LARGEST_SETTINGS)
    if isinstance(data, Trouble):
        return data
    try:
        value = yaml.safe_load(data)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Trouble(id="document-unreadable", message=f"no YAML: {' '.join(str(error).split())}")
    return {} if value is None else value
