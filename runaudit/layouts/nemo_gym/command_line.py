"""Reads a command line: does it run NeMo Gym, where will its rollouts lie, does it ask for a resume?

Precedence as in the producer: overrides (flags become overrides in front of the others), then `env.yaml`, then the
files of `--config` and `config_paths`. A run over a folder of tasks has an output of its own when none is stated.
What only the producer could work out is declined with the reason, never guessed.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.layouts.nemo_gym.command_answers import Answer, Declined, NoOutput, Recognised
from runaudit.layouts.nemo_gym.command_configs import Configs, ReadYaml, Roots, read_configs, split_paths
from runaudit.layouts.nemo_gym.command_flags import (
    APPEND_KEY,
    CONFIGS_KEY,
    FORCE_KEY,
    OUTPUT_KEY,
    RESUME_KEY,
    Flags,
    parse_flags,
)
from runaudit.layouts.nemo_gym.command_launcher import Start, find_start
from runaudit.layouts.nemo_gym.command_overrides import Absent, Override, as_switch, parse, resolve, settle

_TASKSET_OUTPUT = "results/harbor/{taskset}/rollouts.jsonl"


class _Settings(msgspec.Struct, frozen=True):
    """What the command line and the configuration files say together."""

    start: Start
    flags: Flags
    overrides: tuple[Override, ...]
    configs: Configs

    def value(self, key: str) -> Any:
        """The value of a key, interpolations replaced; Absent, Declined or NoOutput where there is none."""
        held = settle(self.overrides, key)
        if isinstance(held, Absent):
            held = self.configs.settings.get(key, held)
            if isinstance(held, Absent) and self.configs.missing is not None:
                return Declined(f"the config {self.configs.missing!r} cannot be read, and it may state {key}")
        return resolve(held, self.start.environment) if isinstance(held, str) else held


def read_command(
    argv: Sequence[str],
    *,
    cwd: str,
    environment: Mapping[str, str],
    read_yaml: ReadYaml,
    install_roots: Callable[[Start], Sequence[str]] = lambda _: (),
) -> Answer:
    """Where a command's rollouts will lie.

    `cwd` is absolute. `read_yaml(path)` gives a document, None when nothing is there, or a Trouble. `install_roots`
    gives the folders in which configs of the installed producer are looked for, after those that the user named.
    """
    start = find_start(argv, cwd=cwd, environment=environment)
    if isinstance(start, Declined):
        return start
    flags = parse_flags(start.words)
    if not isinstance(flags, Flags):
        return flags
    broken = next((token for token in flags.overrides if parse(token) is None and _names_output(token)), None)
    if broken is not None:
        return NoOutput(f"the producer refuses the override {broken!r}")
    overrides = tuple(found for token in flags.overrides if (found := parse(token)) is not None)
    roots = Roots.of(flags, start.cwd, start.environment, install_roots(start))
    configs = read_configs(flags, _stated_configs(overrides), roots, read_yaml)
    if isinstance(configs, Declined):
        configs = Configs(settings={}, missing=configs.reason)
    return _answer(_Settings(start=start, flags=flags, overrides=overrides, configs=configs))


def _names_output(token: str) -> bool:
    return token.lstrip("+~ ").startswith(OUTPUT_KEY)


def _stated_configs(overrides: Sequence[Override]) -> list[str] | Declined | None:
    stated: list[str] | None = None
    for override in overrides:
        if override.key != CONFIGS_KEY or override.value is None:
            continue
        paths = split_paths(override.value)
        if paths is None:
            return Declined(f"{CONFIGS_KEY}={override.value}")
        # The producer joins several `+config_paths=[…]` into one; `++` replaces what stands before it.
        stated = [*(stated or ()), *paths] if override.sign == "+" else paths
    return stated


def _answer(settings: _Settings) -> Answer:
    reverify = settings.flags.command == ("eval", "reverify")
    output = _output(settings)
    if reverify and isinstance(output, str) and _switch(settings, FORCE_KEY) is not False:
        output = Declined("with --force the producer may write unsafe_<name> instead; give --output before the --")
    # `gym eval reverify` also keeps what lies at its output with --append, and asks for no inputs beside it.
    switches = [_switch(settings, key) for key in ((RESUME_KEY, APPEND_KEY) if reverify else (RESUME_KEY,))]
    refused = next((answer for answer in (output, *switches) if isinstance(answer, NoOutput)), None)
    if refused is not None:
        return refused
    resume = True if True in switches else None if None in switches else False
    if isinstance(output, str):
        path = os.path.normpath(os.path.join(settings.start.cwd, output))
        return Recognised(output=path, resume=resume, resume_needs_inputs=not reverify)
    return Declined(reason=output.reason, resume=resume, resume_needs_inputs=not reverify)


def _output(settings: _Settings) -> str | Declined | NoOutput:
    value = settings.value(OUTPUT_KEY) if settings.flags.target is None else _target_output(settings)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Declined | NoOutput):
        return value
    if isinstance(value, Absent):
        return Declined("it states no output; give --output before the --")
    return NoOutput(f"{OUTPUT_KEY} is {value!r}, which is no path; the producer refuses it")


def _target_output(settings: _Settings) -> Any:
    """The output of a run over a folder of tasks: what the command line states, else its place under results/."""
    held = settle(settings.overrides, OUTPUT_KEY)
    if not isinstance(held, Absent):
        return settings.value(OUTPUT_KEY)
    target = settings.flags.target or ""
    if settings.flags.unknown:
        return Declined(f"the flags {' '.join(settings.flags.unknown)} are not known, and one may hold {target!r}")
    if ":" in target:
        return Declined(f"the name of the fetched taskset {target!r} is not known; give --output before the --")
    # The producer names the taskset after the folder itself, not after a link to it.
    folder = os.path.realpath(os.path.join(settings.start.cwd, target))
    return _TASKSET_OUTPUT.format(taskset=os.path.basename(folder))


def _switch(settings: _Settings, key: str) -> bool | NoOutput | None:
    value = settings.value(key)
    if isinstance(value, Absent):
        return False
    if isinstance(value, Declined):
        return None
    if isinstance(value, NoOutput):
        return value
    wanted = as_switch(value) if isinstance(value, str | int | float) else None
    if wanted is None:
        return NoOutput(f"{key} is {value!r}, which is neither true nor false; the producer refuses it")
    return wanted
