"""The flags of the NeMo Gym commands that write rollouts, and what their overrides become.

The producer parses its flags with argparse and turns each into an override in front of those that the user wrote.
The same parser reads them here, so that prefixes, `-oP` and `--output=P` mean the same. The tables hold the flags of
releases 0.5 to 0.7 and `--sandbox`, which newer ones add. Pure.
"""

import argparse
from collections.abc import Sequence
from typing import NoReturn

import msgspec

from runaudit.layouts.nemo_gym.command_answers import Declined, NoOutput

OUTPUT_KEY = "output_jsonl_fpath"
RESUME_KEY = "resume_from_cache"
APPEND_KEY = "append"
FORCE_KEY = "force"
CONFIGS_KEY = "config_paths"

# older command without its prefix -> the words of today's command
OLDER_COMMANDS: dict[str, tuple[str, ...]] = {
    "collect_rollouts": ("eval", "run", "--no-serve"),
    "e2e_collect_rollouts": ("eval", "run"),
    "aggregate_rollouts": ("eval", "aggregate"),
}

_BEFORE_COMMAND = ("-v", "--verbose", "--json")
_CONFIGS = ("--config", "--search-dir")
_ASSETS = ("--benchmark", "--environment", "--resources-server", "--model-type", "--agent-type")
_HEALTH_VALUES = ("--health-check-workers", "--health-check-ignore")
_TARGET = ("--sandbox",)
_MODEL = ("--model-url", "--model-api-key", "--temperature", "--top-p", "--max-output-tokens")
_SETTINGS = ("--limit", "--num-repeats", "--prompt-config", "--concurrency", "--split")


class _Flags(msgspec.Struct, frozen=True):
    """Flags of one command: those with a value, those without, and short names with the long name they stand for."""

    values: tuple[str, ...]
    switches: tuple[str, ...]
    short: dict[str, str]


_COMMANDS: dict[tuple[str, str], _Flags] = {
    ("eval", "run"): _Flags(
        values=(*_ASSETS, *_TARGET, *_MODEL, *_SETTINGS, *_HEALTH_VALUES, "--agent", "--input", "--output", "--model"),
        switches=(
            "--no-serve",
            "--resume",
            "--allow-unsupported-pairing",
            "--interleave-repeats",
            "--disable-aggregation",
            "--no-health-check",
        ),
        short={"-a": "--agent", "-i": "--input", "-o": "--output", "-m": "--model"},
    ),
    ("eval", "aggregate"): _Flags(
        values=("--input-glob", "--output", *_HEALTH_VALUES),
        switches=("--no-health-check",),
        short={"-i": "--input-glob", "-o": "--output"},
    ),
    ("eval", "reverify"): _Flags(
        values=(
            *("--benchmark", "--environment", "--resources-server", "--model-type"),
            *("--input-format", "--inputs", "--rollouts", "--atif-manifest", "--output", "--concurrency", "--limit"),
        ),
        switches=("--force", "--overwrite", "--resume", "--disable-aggregation", "--judge-failed-only", "--append"),
        short={"-o": "--output"},
    ),
    ("dataset", "validate"): _Flags(
        values=(*_TARGET, *_MODEL, "--output", "--model"), switches=(), short={"-o": "--output", "-m": "--model"}
    ),
}
# Commands whose flags or targets name a folder of tasks, which newer releases run without an output being stated.
TARGET_COMMANDS = frozenset({("eval", "run"), ("dataset", "validate")})


class Flags(msgspec.Struct, frozen=True):
    """A command line of the producer, parsed.

    `overrides` are all overrides in the order in which they apply; `configs` the values of `--config`, `assets` the
    named assets as (flag, name); `target` a word that is neither flag nor override; `unknown` flags of no table.
    """

    command: tuple[str, str]
    overrides: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()
    assets: tuple[tuple[str, str], ...] = ()
    search: tuple[str, ...] = ()
    target: str | None = None
    unknown: tuple[str, ...] = ()


class _RefusedError(Exception):
    """argparse refuses the arguments; the producer would, too."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _RefusedError(message)


def parse_flags(words: Sequence[str]) -> Flags | NoOutput | Declined:
    """The flags and overrides of `gym WORDS…`."""
    start = next((i for i, word in enumerate(words) if word not in _BEFORE_COMMAND), len(words))
    group, action = (*words[start : start + 2], "", "")[:2]
    command = (group, action)
    if command == ("eval", "submit"):
        return Declined(
            "gym eval submit hands the work to Slurm and returns; summarise <run folder>/<benchmark>/artifacts/"
            "rollouts.jsonl when the jobs have ended"
        )
    if command not in _COMMANDS:
        return Declined(f"{f'gym {group} {action}'.rstrip()} is not known to write rollouts")
    try:
        return _parse(command, list(words[start + 2 :]))
    except _RefusedError as error:
        return NoOutput(f"the producer refuses the arguments: {error}")


def _parse(command: tuple[str, str], words: list[str]) -> Flags | NoOutput:
    table = _COMMANDS[command]
    parser = _Parser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    for name in _CONFIGS:
        parser.add_argument(name, action="append", default=[])
    short = {long: letter for letter, long in table.short.items()}
    for name in table.values:
        parser.add_argument(*filter(None, (name, short.get(name))), action="append" if name in _ASSETS else "store")
    for name in table.switches:
        parser.add_argument(name, action="store_true")
    known, rest = parser.parse_known_args(words)
    if known.help:
        return NoOutput("it prints help and runs nothing")
    unknown = tuple(word for word in rest if word.startswith("-"))
    targets = [word for word in rest if not word.startswith(("-", "+", "~")) and "=" not in word]
    return Flags(
        command=command,
        overrides=(*_as_overrides(known), *(word for word in rest if word not in unknown and word not in targets)),
        configs=tuple(known.config),
        assets=tuple((name, value) for name in _ASSETS for value in getattr(known, _dest(name), None) or ()),
        search=tuple(known.search_dir),
        target=targets[0] if targets and command in TARGET_COMMANDS else None,
        unknown=(*unknown, *targets[1:]) if command in TARGET_COMMANDS else (*unknown, *targets),
    )


def _dest(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


def _as_overrides(known: argparse.Namespace) -> list[str]:
    """The overrides that the flags of the two keys become; other flags change nothing here."""
    found = []
    for name, key in (("resume", RESUME_KEY), ("append", APPEND_KEY), ("force", FORCE_KEY)):
        if getattr(known, name, False):
            found.append(f"+{key}=true")
    if known.output is not None:
        found.append(f"+{OUTPUT_KEY}={known.output}")
    return found
