"""Runs the real `harbor` of a release, each in its own virtual environment, on our own tasks and without containers."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.interop.environments import CACHE, ROOT, python_313
from tests.interop.harbor_tasks import write_tasks

# "" is the newest release that the index has
RELEASES = ("0.25.0", "")
KIT = Path(__file__).parent / "harbor_kit"


def harbor_python(release: str) -> Path:
    """The interpreter of an environment with that release and this runaudit in it, made at first use."""
    home = CACHE / f"harbor-{release or 'newest'}"
    python = home / "bin" / "python"
    marker = home / ".ready"
    if not marker.exists():
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([python_313(), "-m", "venv", str(home)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"harbor=={release}" if release else "harbor"], check=True)
        subprocess.run([*pip, "--editable", str(ROOT)], check=True)
        marker.touch()
    return python


def version_of(release: str) -> str:
    """The version that an environment really has."""
    code = "import importlib.metadata as m; print(m.version('harbor'))"
    answer = subprocess.run([harbor_python(release), "-c", code], capture_output=True, text=True, check=True)
    return answer.stdout.strip()


class Jobs:
    """Jobs of one release below one folder."""

    def __init__(self, release: str, folder: Path) -> None:
        self.harbor = harbor_python(release).with_name("harbor")
        self.folder = folder
        (folder / "home").mkdir(parents=True, exist_ok=True)

    def environment(self) -> dict[str, str]:
        """Nothing of the caller's own home or settings, and no telemetry."""
        flaky = self.folder / "flaky"
        flaky.mkdir(exist_ok=True)
        path = f"{self.harbor.parent}:/usr/bin:/bin"
        return {
            "PATH": path,
            "HOME": str(self.folder / "home"),
            "PYTHONPATH": str(KIT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HARBOR_TELEMETRY": "0",
            "RUNAUDIT_FLAKY": str(flaky),
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"),  # noqa: S108  # the default of every tool
        }

    def configure(self, name: str, tasks: tuple[str, ...], **more: Any) -> Path:
        """Writes the configuration of a job over the named tasks. Returns the job's folder to be."""
        dataset = write_tasks(self.folder / "tasks" / "own-set", *tasks)
        config = {
            "job_name": name,
            "jobs_dir": str(self.folder / "jobs"),
            "n_attempts": 2,
            "n_concurrent_trials": 2,
            "environment": {"import_path": "local_environment:LocalEnvironment"},
            "agents": [{"name": "oracle"}],
            "datasets": [{"path": str(dataset), "task_names": list(tasks)}],
            **more,
        }
        (self.folder / f"{name}.json").write_text(json.dumps(config))
        return self.folder / "jobs" / name

    def run(self, name: str, *options: str) -> subprocess.CompletedProcess[str]:
        """`harbor run` of a configured job."""
        return self._call("run", "-c", str(self.folder / f"{name}.json"), "-y", *options)

    def resume(self, job: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """`harbor job resume`."""
        return self._call("job", "resume", "-p", str(job), *options)

    def start(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        """`harbor run` in a session of its own, to be signalled."""
        command = [str(self.harbor), "run", "-c", str(self.folder / f"{name}.json"), "-y", *options]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.harbor), *arguments],
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


def wait_for(pattern: str, folder: Path, seconds: float = 60) -> Path:
    """The first path below `folder` that matches; AssertionError when none comes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := sorted(folder.glob(pattern)):
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"nothing like {pattern} below {folder}")
