"""Logs on disk: those that the user names are read where they lie, and no folder of logs leads elsewhere."""

import os
from pathlib import Path

import pytest

from runaudit.errors import InputError
from runaudit.layouts.games.logsources import mine_file

LINE = "[COLLECT] stats: {'game': {'/s/game_00000_000_optimization.py': [1.0]}, 'skill': {}}\n"


def test_a_link_that_the_user_names_is_followed_and_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "driver.log").write_text(LINE)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "job-a.log").symlink_to("../ray/driver.log")
    [log] = mine_file(os.fspath(tmp_path / "here" / "job-a.log"))
    assert (log.job, len(log.entries)) == ("job-a", 1)
    (tmp_path / "all").symlink_to("ray")
    assert [log.job for log in mine_file(os.fspath(tmp_path / "all"))] == ["driver"]


def test_a_link_out_of_a_folder_of_logs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.log").write_text(LINE)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").symlink_to("../secret.log")
    with pytest.raises(InputError, match="leads out of the folder"):
        mine_file(os.fspath(tmp_path / "logs"))


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.log")
    (tmp_path / "zero.log").symlink_to("/dev/zero")
    for name, says in (("pipe.log", "wrong-kind"), ("zero.log", "wrong-kind"), ("none.log", "no such log")):
        with pytest.raises(InputError, match=says):
            mine_file(os.fspath(tmp_path / name))
