"""A root itself can be looked at, not only what lies below it."""

from pathlib import Path

import pytest

from runaudit.read.places import Places


@pytest.mark.parametrize("written", ["{}", "{}/", "{}/."])
def test_a_root_is_a_folder(tmp_path: Path, written: str) -> None:
    assert Places([str(tmp_path)]).look(written.format(tmp_path)).kind == "folder"


def test_a_root_that_is_a_link_is_the_folder_behind_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Places([str(tmp_path / "link")]).look(str(tmp_path / "link")).kind == "folder"


def test_what_lies_above_a_root_stays_outside(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    assert Places([str(tmp_path / "root")]).look(str(tmp_path)).kind == "outside-root"
