"""The installed producer's folder, from the command that starts it."""

import os
from pathlib import Path

from runaudit.layouts.nemo_gym.command_launcher import Start
from runaudit.layouts.nemo_gym.installed import install_roots


def make_venv(home: Path) -> Path:
    (home / "bin").mkdir(parents=True)
    command = home / "bin" / "gym"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    packages = home / "lib" / "python3.13" / "site-packages"
    packages.mkdir(parents=True)
    return packages


def start(executable: str, cwd: Path, path: str = "") -> Start:
    return Start(words=(), cwd=str(cwd), environment={"PATH": path}, executable=executable)


def test_a_wheel_and_an_editable_checkout(tmp_path: Path) -> None:
    packages = make_venv(tmp_path / "venv")
    (packages / "nemo_gym").mkdir()
    (tmp_path / "repo" / "nemo_gym").mkdir(parents=True)
    (packages / "_nemo_gym.pth").write_text(f"import os\n{tmp_path / 'repo'}\n{tmp_path / 'gone'}\n")
    expected = (str(packages), str(tmp_path / "repo"))
    assert install_roots(start("gym", tmp_path, path=str(tmp_path / "venv" / "bin"))) == expected
    assert install_roots(start(os.path.join("venv", "bin", "gym"), tmp_path)) == expected


def test_the_projects_own_environment_under_uv(tmp_path: Path) -> None:
    packages = make_venv(tmp_path / ".venv")
    (packages / "nemo_gym").mkdir()
    assert install_roots(start("gym", tmp_path)) == (str(packages),)


def test_nothing_is_found_without_trouble(tmp_path: Path) -> None:
    assert install_roots(start("gym", tmp_path)) == ()
    make_venv(tmp_path / "venv")
    assert install_roots(start("venv/bin/gym", tmp_path)) == ()
