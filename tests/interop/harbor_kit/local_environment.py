"""A Harbor environment without containers: a throw-away folder stands for the root, and paths are rewritten into it.

Runs in Harbor's own virtual environment. Commands and uploaded scripts that name `/workspace`, `/logs`, `/tests` or
`/solution` see those folders below the throw-away root. It isolates nothing; the tasks here are our own.
"""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

ROOTED = re.compile(r"(?<![\w./-])/(?=(?:workspace|logs|tests|solution|steps|installed-agent)\b)")


class LocalEnvironment(BaseEnvironment):
    """One folder for each trial."""

    @staticmethod
    def type():
        return "local-folder"

    @property
    def capabilities(self):
        return EnvironmentCapabilities()

    def _validate_definition(self):
        return None

    def _inside(self, path):
        return self.root / str(path).lstrip("/")

    def _rewritten(self, text):
        return ROOTED.sub(f"{self.root}/", text)

    async def start(self, force_build):
        self.root = Path(tempfile.mkdtemp(prefix="runaudit-interop-"))
        for name in ("workspace", "tests", "solution", "logs/agent", "logs/verifier", "logs/artifacts"):
            (self.root / name).mkdir(parents=True)

    async def stop(self, delete):
        shutil.rmtree(self.root, ignore_errors=True)

    async def upload_file(self, source_path, target_path):
        target = self._inside(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)
        self._rewrite_scripts([target])

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self._inside(target_dir), dirs_exist_ok=True)
        self._rewrite_scripts(self._inside(target_dir).rglob("*.sh"))

    def _rewrite_scripts(self, paths):
        for path in paths:
            if path.suffix == ".sh":
                path.write_text(self._rewritten(path.read_text()))

    async def download_file(self, source_path, target_path):
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._inside(source_path), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self._inside(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            self._rewritten(command),
            cwd=self._inside(cwd or "/workspace"),
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.root), **(env or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            output, errors = await asyncio.wait_for(process.communicate(), timeout_sec)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            raise
        return ExecResult(stdout=output.decode(), stderr=errors.decode(), return_code=process.returncode)
