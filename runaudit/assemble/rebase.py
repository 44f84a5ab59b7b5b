"""Rewrites the paths of a run summary that is written somewhere else than beside its run.

Documents hold paths relative to their own folder. Paths that rows named and that are missing stay as they were named.
"""

import posixpath
from collections.abc import Callable, Mapping
from typing import Any

_ENTRY_PATHS = ("verifier_logs", "test_stdout", "reward_file", "trajectory", "artifacts")


def rebased(prefix: str) -> Callable[[Any], Any]:
    """A function that moves the head or one entry of a summary; `prefix` leads from its folder to the run's."""

    def moved(path: Any) -> Any:
        if isinstance(path, str) and not posixpath.isabs(path):
            return posixpath.normpath(posixpath.join(prefix, path))
        return [moved(each) for each in path] if isinstance(path, list | tuple) else path

    def move(part: Any) -> Any:
        if "outcome" in part:
            return {**part, **{name: moved(part[name]) for name in _ENTRY_PATHS if name in part}}
        return {
            **part,
            "files": {key: moved(path) for key, path in part["files"].items()},
            "evidence": {moved(path): told for path, told in part["evidence"].items()},
            **{name: [_with_path(item, moved) for item in part[name]] for name in ("stale_files", "set_aside")},
            "findings": [
                {**group, "places": [_with_path(place, moved) for place in group["places"]]}
                for group in part["findings"]
            ],
        }

    return move


def _with_path(item: Mapping[str, Any], moved: Callable[[Any], Any]) -> dict[str, Any]:
    return {**item, "path": moved(item["path"])} if "path" in item else dict(item)
