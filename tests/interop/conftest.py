"""What the interop tests share: one folder of real runs for each release, written once in a session."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interop.gym_runs import stories_of, tell


@pytest.fixture(scope="session")
def written_by(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder in which a release has written every story that it can; to be read, not changed."""
    folders: dict[str, Path] = {}

    def folder_of(release: str) -> Path:
        if release not in folders:
            folder = tmp_path_factory.mktemp(f"gym-{release}")
            tell(release, folder, *stories_of(release))
            folders[release] = folder
        return folders[release]

    return folder_of
