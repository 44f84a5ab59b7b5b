"""What the configuration files of a NeMo Gym command say about its output, merged as the producer merges them.

Files listed together: a later one wins over an earlier one; a file that another one names in its `config_paths`: the
naming one wins. `env.yaml` wins over all of them. Files come in through `read_yaml`, so this module does no I/O.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.command_answers import Declined
from runaudit.layouts.nemo_gym.command_flags import CONFIGS_KEY, Flags

# path → the document, None when no file is there, Trouble when it cannot be read
ReadYaml = Callable[[str], Any]

_EXTRA_ROOTS = "NEMO_GYM_EXTRA_ROOTS"
_ENVIRONMENT_FILE = "env.yaml"
_MOST_FILES = 1000
# flag -> folder of such components, folder of its configs below the component, the config's name (None: as the
# component)
_ASSETS: dict[str, tuple[str, str, str | None]] = {
    "--benchmark": ("benchmarks", "", "config"),
    "--environment": ("environments", "", "config"),
    "--resources-server": ("resources_servers", "configs", None),
    "--model-type": ("responses_api_models", "configs", None),
    "--agent-type": ("responses_api_agents", "configs", None),
}


class Configs(msgspec.Struct, frozen=True):
    """The merged top-level settings. `missing` names the first file that was not there or could not be read."""

    settings: Mapping[str, Any]
    missing: str | None = None


class Roots(msgspec.Struct, frozen=True):
    """Where a relative config is looked for, in order."""

    folders: tuple[str, ...]

    @classmethod
    def of(cls, flags: Flags, cwd: str, environment: Mapping[str, str], install_roots: Sequence[str]) -> "Roots":
        """Extra roots from the flags and the environment, the working directory, the installed package's folder."""
        extra = [*flags.search, *environment.get(_EXTRA_ROOTS, "").split(os.pathsep)]
        return cls(folders=tuple(dict.fromkeys([*(os.path.join(cwd, e) for e in extra if e), cwd, *install_roots])))


def read_configs(
    flags: Flags, stated: Sequence[str] | Declined | None, roots: Roots, read_yaml: ReadYaml
) -> Configs | Declined:
    """The settings of all configuration files that the command loads.

    `stated` is the list that the overrides give for `config_paths`, or None.
    """
    if isinstance(stated, Declined):
        return stated
    reader = _Reader(roots, read_yaml)
    own = reader.find(_ENVIRONMENT_FILE)
    assets = [_asset(flag, name, roots, read_yaml) for flag, name in flags.assets]
    # The producer joins the values of --config with commas and splits the whole again.
    named = [path for told in flags.configs for path in told.split(",") if path]
    listed = [*named, *assets, *(stated or ())]
    if not listed and own is not None:
        listed = [str(path) for path in _listed(own)]
    merged: dict[str, Any] = {}
    for path in listed:
        # A component's own config describes servers; one that is not found here says nothing about the run.
        if path not in assets or reader.find(path) is not None:
            reader.merge(path, merged)
    return Configs(settings={**merged, **(own or {})}, missing=reader.missing)


class _Reader:
    """Reads each file once, in the producer's order."""

    def __init__(self, roots: Roots, read_yaml: ReadYaml) -> None:
        self._roots = roots
        self._read_yaml = read_yaml
        self._seen: set[str] = set()
        self.missing: str | None = None

    def find(self, path: str) -> dict[str, Any] | None:
        """The document at the first root that has it."""
        for root in self._roots.folders:
            document = self._read_yaml(os.path.join(root, path))
            if document is None:
                continue
            if isinstance(document, Mapping):
                return {str(key): value for key, value in document.items()}
            # An empty file is read as an empty document by the caller; anything else cannot hold settings.
            self.missing = self.missing or path
            return None
        return None

    def merge(self, path: str, into: dict[str, Any]) -> None:
        """Merges a file over `into`, after the files that it names itself."""
        stack: list[tuple[str, dict[str, Any] | None]] = [(path, None)]
        while stack:
            current, document = stack.pop()
            if document is not None:
                into.update(document)
                continue
            if current in self._seen or len(self._seen) >= _MOST_FILES:
                continue
            self._seen.add(current)
            found = self.find(current)
            if found is None:
                self.missing = self.missing or current
                continue
            stack.append((current, found))
            stack += [(str(named), None) for named in reversed(_listed(found))]


def _listed(document: Mapping[str, Any]) -> list[Any]:
    listed = document.get(CONFIGS_KEY)
    return listed if isinstance(listed, list) else []


def _asset(flag: str, name: str, roots: Roots, read_yaml: ReadYaml) -> str:
    """The config that a named component has, relative to a root."""
    parent, folder, default = _ASSETS[flag]
    nested = f"{parent}/{name}/config.yaml"
    if default == "config" and "/" in name and any(read_yaml(os.path.join(r, nested)) for r in roots.folders):
        return nested
    component, _, flavor = name.partition("/")
    return "/".join(part for part in (parent, component, folder, f"{flavor or default or component}.yaml") if part)


def split_paths(text: str) -> list[str] | None:
    """The paths in the text of a `config_paths` override, `[a.yaml,b.yaml]`; None when it is no such list."""
    inner = text.strip()
    if not (inner.startswith("[") and inner.endswith("]")) or "${" in inner:
        return None
    return [part.strip().strip("\"'") for part in inner[1:-1].split(",") if part.strip()]
