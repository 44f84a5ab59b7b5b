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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harbor.environments.base import (  # type: ignore[import-not-found]  # only in Harbor's environment
    BaseEnvironment,
    ExecResult,
)
from harbor.environments.capabilities import (  # type: ignore[import-not-found]  # only in Harbor's environment
    EnvironmentCapabilities,
)

ROOTED = re.compile(r"(?<![\w./-])/(?=(?:workspace|logs|tests|solution|steps|installed-agent)\b)")


class LocalEnvironment(BaseEnvironment):  # type: ignore[misc]  # see above
    """One folder for each trial."""

    @staticmethod
    def type() -> str:
        return "local-folder"

    @property
    def capabilities(self) -> Any:
        return EnvironmentCapabilities()

    def _validate_definition(self) -> None:
        """Nothing is built here."""

    def _inside(self, path: object) -> Path:
        return self.root / str(path).lstrip("/")

    def _rewritten(self, text: str) -> str:
        return ROOTED.sub(f"{self.root}/", text)

    async def start(self, force_build: bool) -> None:  # noqa: ARG002  # Harbor's signature
        self.root: Path = Path(tempfile.mkdtemp(prefix="runaudit-interop-"))
        for name in ("workspace", "tests", "solution", "logs/agent", "logs/verifier", "logs/artifacts"):
            (self.root / name).mkdir(parents=True)

    async def stop(self, delete: bool) -> None:  # noqa: ARG002  # Harbor's signature
        shutil.rmtree(self.root, ignore_errors=True)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = self._inside(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)
        self._rewrite_scripts([target])

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self._inside(target_dir), dirs_exist_ok=True)
        self._rewrite_scripts(self._inside(target_dir).rglob("*.sh"))

    def _rewrite_scripts(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if path.suffix == ".sh":
                path.write_text(self._rewritten(path.read_text()))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._inside(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self._inside(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout_sec: float | None = None,
        user: str | int | None = None,  # noqa: ARG002  # Harbor's signature
    ) -> Any:
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
