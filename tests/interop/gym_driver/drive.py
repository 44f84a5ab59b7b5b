"""Tell stories inside the producer's environment: `python -m tests.interop.gym_driver.drive FOLDER STORY…`.

Each story gets a sub-folder of its name. Exits with the traceback of the producer when it refuses one.
"""

import sys
from pathlib import Path

from tests.interop.gym_driver.stories import STORIES


def main(folder: str, *names: str) -> None:
    """Write each named story (all of them when none is named) below `folder`."""
    for name in names or STORIES:
        place = Path(folder).resolve() / name
        place.mkdir(parents=True, exist_ok=True)
        STORIES[name](place)


if __name__ == "__main__":
    main(*sys.argv[1:])
