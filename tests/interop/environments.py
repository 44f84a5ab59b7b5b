"""Virtual environments of the real producers, one for each version, built once under `.cache/interop`.

Invariants: nothing outside the cache is written; an environment counts only once its marker stands, so that a build
that was interrupted is made again. The producer asks for a patch release of Python 3.13 that may not be installed;
what is driven here runs on every 3.13, so that the demand is overridden. Heavy requirements that the collector only
imports are left out: the driver stands in for them.
"""

import email
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "interop"
GYM_VERSIONS = ("0.5.1", "0.6.0", "0.7.0")
GYM_TARGET_PYTHON = "3.13.14"
# back ends of data preparation and of tracing, none of which writes a file that is looked at here
LEFT_OUT = {"mlflow", "mlflow-skinny", "datasets", "pyarrow", "ray", "fonttools", "gitpython", "pyasn1", "urllib3"}
# what those would have brought along and the collector does use, or what it uses without asking for it
BROUGHT = ("pandas", "huggingface_hub", "gprof2dot", "click", "msgpack", "filelock", "protobuf", "jsonschema", "pyyaml")


def python_313() -> str:
    """The path of a Python 3.13, from PATH or from pyenv; LookupError where the machine has none."""
    for candidate in _candidates():
        answer = subprocess.run(
            [candidate, "-c", "import sys; print(sys.version_info[:2] == (3, 13))"],
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.stdout.strip() == "True":
            return candidate
    raise LookupError("no Python 3.13 on PATH or in pyenv: the interop tests need one")


def _candidates() -> list[str]:
    found = [shutil.which("python3.13"), sys.executable]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return [name for name in found if name] + [str(p) for p in sorted(pyenv.glob("3.13*/bin/python"))]


def gym_wheel(version: str) -> Path:
    """The wheel of one `nemo-gym` release, downloaded at first use."""
    wheels = CACHE / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    if not list(wheels.glob(f"nemo_gym-{version}-*.whl")):
        download = [python_313(), "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels)]
        download += ["--python-version", GYM_TARGET_PYTHON, "--only-binary=:all:", f"nemo-gym=={version}"]
        _run(download)
    return next(wheels.glob(f"nemo_gym-{version}-*.whl"))


def gym_python(version: str) -> Path:
    """The interpreter of an environment in which that release of `nemo-gym` can be imported."""
    home = CACHE / f"gym-{version}"
    python = home / "bin" / "python"
    marker = home / ".ready"
    if not marker.exists():
        wheel = gym_wheel(version)
        shutil.rmtree(home, ignore_errors=True)
        _run([python_313(), "-m", "venv", str(home)])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, *requirements(wheel), *BROUGHT])
        _run([*pip, "--no-deps", "ray"])
        _run([*pip, "--no-deps", "--ignore-requires-python", str(wheel)])
        marker.touch()
    return python


def requirements(wheel: Path) -> list[str]:
    """What a wheel asks for outside its extras, without `LEFT_OUT`."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    asked = [line for line in metadata.get_all("Requires-Dist") or [] if "extra ==" not in line]
    return [line for line in asked if _project(line) not in LEFT_OUT]


def _project(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()


def _run(command: list[str]) -> None:
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"{' '.join(command[:6])} … failed:\n{answer.stderr[-2000:]}")
