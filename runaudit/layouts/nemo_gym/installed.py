"""Finds the folder of an installed NeMo Gym, where its own configs lie, from the command that starts it.

Looks at the virtual environment of the command (or the project's `.venv` under `uv run`): the package's
site-packages, or the checkout that an editable installation points to. Finds nothing rather than failing.
"""

import glob
import os
import shutil
from collections.abc import Iterator

from runaudit.layouts.nemo_gym.command_launcher import Start
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places

_PACKAGE = "nemo_gym"
_LARGEST_LINK_FILE = 1 << 16


def install_roots(start: Start) -> tuple[str, ...]:
    """The folders that hold the package `nemo_gym` for this command, the likeliest first."""
    found = [root for packages in _site_packages(start) for root in _roots_of(packages)]
    return tuple(dict.fromkeys(found))


def _site_packages(start: Start) -> Iterator[str]:
    path = start.environment.get("PATH", os.defpath)
    name = os.path.join(start.cwd, start.executable) if os.sep in start.executable else start.executable
    executable = shutil.which(name, path=path)
    homes = [os.path.dirname(os.path.dirname(os.path.abspath(executable)))] if executable else []
    for home in (*homes, start.environment.get("VIRTUAL_ENV", ""), os.path.join(start.cwd, ".venv")):
        if home:
            yield from sorted(glob.glob(os.path.join(glob.escape(home), "lib", "python3*", "site-packages")))


def _roots_of(packages: str) -> Iterator[str]:
    if os.path.isdir(os.path.join(packages, _PACKAGE)):
        yield packages
    places = Places([packages])
    for link in sorted(glob.glob(os.path.join(glob.escape(packages), "*.pth"))):
        content = read_bytes(places.look(os.path.basename(link)), _LARGEST_LINK_FILE)
        if isinstance(content, bytes):
            for line in content.decode("utf-8", "replace").splitlines():
                if os.path.isabs(line) and os.path.isdir(os.path.join(line, _PACKAGE)):
                    yield line
