"""Golden files: `--update-goldens` writes what the run produced, and the run still fails, so that somebody looks."""

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDENS = Path(__file__).parent / "goldens"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the flag."""
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew, and fail")


@pytest.fixture
def matches_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden file of a name."""

    def compare(text: str, name: str) -> None:
        path = GOLDENS / name
        if request.config.getoption("--update-goldens"):
            path.write_text(text, encoding="utf-8")
            pytest.fail(f"{name} was written; look at it, and run again without --update-goldens")
        assert text == path.read_text(encoding="utf-8")

    return compare
