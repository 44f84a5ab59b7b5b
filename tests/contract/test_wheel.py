"""The wheel as it is published: it carries the schemas and the typing mark, and its command finds them."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built once, with the backend of the test environment: nothing is fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_carries_every_schema_and_no_test(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    schemas = {f"runaudit/schemas/{path.name}" for path in (ROOT / "schemas").iterdir()}
    assert {"runaudit/schemas/run_summary.v1.json", "runaudit/py.typed", *schemas} <= set(names)
    assert [name for name in names if not name.startswith("runaudit")] == []


def test_the_installed_command_finds_the_schemas(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    # what an installation of a pure wheel does, without asking an installer for the dependencies
    zipfile.ZipFile(wheel).extractall(site)
    place = {**os.environ, "PYTHONPATH": str(site)}

    def runaudit(*arguments: str) -> str:
        command = [sys.executable, "-m", "runaudit", *arguments]
        return subprocess.run(command, cwd=tmp_path, env=place, capture_output=True, text=True, check=True).stdout

    listed = runaudit("schema").splitlines()
    assert {path.stem for path in (ROOT / "schemas").glob("*.json")} == {line.split()[0] for line in listed}
    assert json.loads(runaudit("schema", "run_summary")) == json.loads(
        (ROOT / "schemas/run_summary.v1.json").read_text()
    )
    where = "import runaudit.usecases.schemas as s; print(s._folder())"
    asked = [sys.executable, "-c", where]
    found = subprocess.run(asked, cwd=tmp_path, env=place, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(site / "runaudit" / "schemas")
