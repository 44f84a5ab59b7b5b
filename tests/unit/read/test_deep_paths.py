"""Paths with more steps than Python has frames: looked at like any other, wherever they are written."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runaudit.read.places import Places

STEPS = 1500


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder with a real way of 1,500 steps, made without ever naming it whole."""
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(STEPS):
            os.mkdir("a")
            os.chdir("a")
        Path("end").write_bytes(b"here")
    finally:
        os.chdir(here)
    yield tmp_path
    # Python's own way of removing it would need a frame for each step
    subprocess.run(["rm", "-rf", "a"], cwd=tmp_path, check=True)


def test_a_deep_path_is_found(deep: Path) -> None:
    sight = Places([str(deep)]).look("a/" * STEPS + "end")
    assert (sight.kind, sight.size) == ("file", 4)


@pytest.mark.parametrize("steps", [1, 400, 600, 1500, 2040, 5000, 100_000])
def test_a_path_that_is_not_there_is_absent_at_any_length(tmp_path: Path, steps: int) -> None:
    places = Places([str(tmp_path)])
    assert places.look("b/" * steps + "end").kind == "absent"
    assert places.look("b/" * steps + "end").kind == "absent"
    assert places.look("../" * steps + "end").kind == ("outside-root" if steps <= 1000 else "absent")


def test_a_link_may_be_as_long_as_links_are(deep: Path) -> None:
    (deep / "link").symlink_to("a/" * STEPS + "end")
    (deep / "dead").symlink_to("c/" * 2000 + "end")
    places = Places([str(deep)])
    assert places.look("link").kind == "file"
    assert places.look("dead").kind == "dangling-link"
