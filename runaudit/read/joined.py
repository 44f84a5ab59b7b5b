"""The digest of several files' contents one after another, without holding them."""

import os
from collections.abc import Iterable

from runaudit.model.trouble import Trouble
from runaudit.read.documents import unreadable
from runaudit.read.hashing import hasher
from runaudit.read.places import Sight, open_plain

_ONE_READ = 1 << 20


def digest_of_joined(sights: Iterable[Sight]) -> str | Trouble:
    """The SHA-256 of the contents of plain files in the given order."""
    running = hasher("sha256")
    try:
        for sight in sights:
            descriptor = open_plain(sight.real)
            try:
                while data := os.read(descriptor, _ONE_READ):
                    running.update(data)
            finally:
                os.close(descriptor)
    except OSError as error:
        return unreadable(error)
    return running.hexdigest()
