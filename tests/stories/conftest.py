"""What stories share: an empty results folder."""

from pathlib import Path

import pytest

from tests.builders import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run whose folder is empty."""
    folder = tmp_path / "results"
    folder.mkdir()
    return Run(folder)
