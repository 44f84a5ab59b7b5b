"""One export at the source's scale, made once; tests take linked copies of it and replace files, never edit them."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from runaudit.usecases.games import build_games_manifest, write_games_manifest
from runaudit.usecases.games_mining import LogSources
from tests.games.exports import make_export, make_logs


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_logs(tmp_path_factory.mktemp("logs"))


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, logs: tuple[Path, Path]) -> Path:
    """The export with its manifest. Nothing may change it."""
    root = make_export(tmp_path_factory.mktemp("export") / "whole")
    built = build_games_manifest(str(root), sources=LogSources(files=tuple(map(str, logs))))
    write_games_manifest(str(root), built)
    return root


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """A copy of the export whose files are links to the original's bytes: replace them with `rewrite`."""
    return Path(shutil.copytree(whole, tmp_path / "copy", copy_function=os.link))


@pytest.fixture
def rewrite() -> Callable[[Path, str], None]:
    def replaced(path: Path, text: str) -> None:
        path.unlink(missing_ok=True)
        path.write_text(text)

    return replaced
