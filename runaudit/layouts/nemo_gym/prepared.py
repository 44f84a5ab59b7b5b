"""Files around the run that data preparation and configuration left: prepared rows, collated input, run config.

The two `_metrics.json` are never judged by age or signature: preparation removes an earlier run's before it writes.
"""

import os
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.names import SKIPPED, Names
from runaudit.model.account import Dataset
from runaudit.model.check import Check
from runaudit.model.finding import Finding
from runaudit.model.relative import relative_to
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_json
from runaudit.read.folder import list_folder
from runaudit.read.places import Places, Sight
from runaudit.read.yaml_documents import read_yaml

# key of `files` -> end of a name that `gym eval profile` gives its outputs
_PROFILE = {
    "reward_profiling": "_reward_profiling.jsonl",
    "agent_metrics": "_agent_metrics.json",
    "repeat_level_metrics": "_repeat_level_metrics.json",
}
KEYS = (
    "rows",
    "rows_prepare",
    "rows_metrics",
    "collated_input",
    "collated_metrics",
    "run_config",
    "skipped",
    *_PROFILE,
)
_DEFAULT_ROWS = "tasks.jsonl"


class Prepared(msgspec.Struct):
    """What was found, by the keys of `files`; `None` where nothing is."""

    paths: dict[str, str | None] = msgspec.field(default_factory=lambda: dict.fromkeys(KEYS))
    sights: dict[str, Sight] = msgspec.field(default_factory=dict)
    findings: list[Finding] = msgspec.field(default_factory=list)
    checks: list[Check] = msgspec.field(default_factory=list)
    config: dict[str, Any] = msgspec.field(default_factory=dict)
    dataset: Dataset | None = None


class Told(msgspec.Struct, frozen=True):
    """What the caller told about these files; paths absolute or relative to the results folder."""

    rows: str | None
    run_config: str | None
    split: str
    agent: str | None


def find(names: Names, folder: str, places: Places, told: Told) -> Prepared:
    """Looks for everything that preparation and configuration left around this run."""
    prepared = Prepared()
    finder = _Finder(prepared, folder, places)
    collated = f"{names.prepared}/{told.split}"
    finder.note("collated_input", f"{collated}.jsonl")
    metrics = finder.note("collated_metrics", f"{collated}_metrics.json")
    finder.conflict(f"{collated}_metrics_conflict.json")
    rows = told.rows or _rows_named_by(metrics, folder) or _DEFAULT_ROWS
    finder.note("rows", rows)
    stem = os.path.splitext(rows)[0]
    finder.note("rows_prepare", f"{stem}_prepare.jsonl")
    rows_metrics = finder.note("rows_metrics", f"{stem}_metrics.json")
    finder.conflict(f"{stem}_metrics_conflict.json")
    finder.note("skipped", os.path.join(os.path.dirname(rows), SKIPPED))
    for key, end in _PROFILE.items():
        finder.note(key, f"{names.stem}{end}")
    finder.configuration(os.path.dirname(rows), told, names)
    prepared.dataset = _dataset(rows_metrics or metrics, prepared.config)
    return prepared


class _Finder:
    def __init__(self, prepared: Prepared, folder: str, places: Places) -> None:
        self._prepared = prepared
        self._folder = folder
        self._places = places

    def note(self, key: str, path: str) -> Sight | None:
        sight = self._places.look(path)
        shown = relative_to(os.path.normpath(os.path.join(self._folder, path)), self._folder)
        trouble = sight.trouble("file")
        if trouble is not None:
            self._prepared.findings.append(trouble.at(shown))
        if sight.kind != "file":
            return None
        self._prepared.paths[key] = shown
        self._prepared.sights[key] = sight
        return sight

    def conflict(self, path: str) -> None:
        sight = self._places.look(path)
        if sight.present:
            shown = relative_to(os.path.normpath(os.path.join(self._folder, path)), self._folder)
            self._prepared.findings.append(
                Finding(id="metrics-conflict-file", message="preparation refused to overwrite metrics", path=shown)
            )

    def configuration(self, beside: str, told: Told, names: Names) -> None:
        path = told.run_config or self._config_beside(beside, told.agent, names)
        sight = self.note("run_config", path) if path else None
        if sight is None:
            return
        value = read_yaml(sight)
        if isinstance(value, Trouble):
            self._prepared.findings.append(value.at(self._prepared.paths["run_config"] or path or ""))
        elif isinstance(value, dict):
            self._prepared.config = {key: inner for key, inner in value.items() if isinstance(key, str)}

    def _config_beside(self, beside: str, agent: str | None, names: Names) -> str | None:
        """`run_config.yaml`, the agent's, the only one there is, or the run's resolved one."""
        candidates = [f"run_config_{agent}.yaml"] if agent else []
        candidates += ["run_config.yaml", f"{names.stem}_resolved_config.yaml"]
        for name in candidates:
            path = os.path.join(beside, name)
            if self._places.look(path).kind != "absent":
                return path
        sight = self._places.look(beside or ".")
        items = list_folder(sight.real) if sight.kind == "folder" else []
        found = [
            item.name
            for item in (items if isinstance(items, list) else [])
            if item.name.startswith("run_config_") and item.name.endswith(".yaml")
        ]
        if len(found) > 1:
            reason = f"several lie there ({', '.join(found[:5])}); say which with --run-config or --agent"
            self._prepared.checks.append(Check(name="run config", made=False, reason=reason))
            return None
        return os.path.join(beside, found[0]) if found else None


def _rows_named_by(metrics: Sight | None, folder: str) -> str | None:
    """The prepared rows that the collated metrics name, when a file of that name lies beside the rollouts."""
    document = read_json(metrics) if metrics is not None else None
    value = document.value if document is not None and not isinstance(document, Trouble) else None
    path = value.get("jsonl_fpath") if isinstance(value, dict) else None
    if not isinstance(path, str):
        return None
    name = os.path.basename(path)
    return name if os.path.lexists(os.path.join(folder, name)) else None


def _dataset(metrics: Sight | None, config: dict[str, Any]) -> Dataset | None:
    document = read_json(metrics) if metrics is not None else None
    value = document.value if document is not None and not isinstance(document, Trouble) else {}
    stated = value if isinstance(value, dict) else {}
    name = stated.get("name")
    source = next(
        (stated[key] for key in ("huggingface_identifier", "gitlab_identifier", "source") if stated.get(key)), None
    )
    digests = {key: inner for key, inner in _walk(config) if "digest" in key and isinstance(inner, str)}
    if name is None and source is None and not digests:
        return None
    return Dataset(
        name=name if isinstance(name, str) else None,
        source=source if isinstance(source, str) else None,
        digests=digests or None,
    )


def _walk(value: Any, depth: int = 0) -> list[tuple[str, Any]]:
    """The leaves of a configuration by key, to a small depth: enough for what servers state about their data."""
    if not isinstance(value, dict) or depth > 4:  # noqa: PLR2004  # instance, kind, implementation, block, key
        return []
    found: list[tuple[str, Any]] = []
    for key, inner in value.items():
        if isinstance(key, str):
            found += _walk(inner, depth + 1) if isinstance(inner, dict) else [(key, inner)]
    return found


def tasksets_of(config: dict[str, Any]) -> list[str]:
    """The task sets that the run config routes to environment servers."""
    routes = config.get("environment_server_routes")
    return sorted(key for key in routes if isinstance(key, str)) if isinstance(routes, dict) else []


def log_parents_of(config: dict[str, Any]) -> list[str]:
    """The folders that the run config states for log folders (`artifacts_dir`)."""
    return [inner for key, inner in _walk(config) if key == "artifacts_dir" and isinstance(inner, str)]
