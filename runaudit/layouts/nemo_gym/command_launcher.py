"""Finds the NeMo Gym command behind the launchers in front of it: `uv run`, `srun`, `env A=b`, `python -m`.

A launcher can change the folder and the variables that the command starts with; those that say so in a known way are
followed. What a shell's text, a container or another machine will do is not guessed. Pure.
"""

import os
from collections.abc import Mapping, Sequence

import msgspec

from runaudit.layouts.nemo_gym.command_answers import Declined
from runaudit.layouts.nemo_gym.command_flags import OLDER_COMMANDS

_NAMES = ("gym", "ng")
_PREFIXES = ("nemo_gym_", "ng_")
_MODULES = ("nemo_gym", "nemo_gym.cli", "nemo_gym.cli.main")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", "busybox"})
_ELSEWHERE = frozenset(
    {"docker", "podman", "nerdctl", "kubectl", "ssh", "apptainer", "singularity", "enroot", "sbatch", "ray", "chroot"}
)
# launcher -> its options for the folder that the command starts in
_FOLDER_OPTIONS: dict[str, tuple[str, ...]] = {
    "env": ("-C", "--chdir"),
    "srun": ("-D", "--chdir"),
    "uv": ("--directory",),
    "poetry": ("-C", "--directory"),
    "conda": ("--cwd",),
}
_GROUPS = frozenset({"eval", "dataset", "env", "list", "search", "dev"})


class Start(msgspec.Struct, frozen=True):
    """The producer's command: its words after `gym`, the folder and variables that it starts with, the executable."""

    words: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    executable: str


def find_start(argv: Sequence[str], *, cwd: str, environment: Mapping[str, str]) -> Start | Declined:
    """The NeMo Gym command in `argv`."""
    at = next((i for i in range(len(argv)) if _is_producer(argv, i)), None)
    if at is None:
        return Declined("no NeMo Gym command (gym, ng, ng_*, nemo_gym_*) stands in it")
    launchers = argv[:at]
    names = [os.path.basename(word) for word in launchers]
    shell = next((name for name in names if name in _SHELLS), None)
    if shell is not None:
        return Declined(f"{shell} decides what runs, and its script is not read")
    elsewhere = next((name for name in names if name in _ELSEWHERE), None)
    if elsewhere is not None or any(word.startswith("--container") for word in launchers):
        return Declined(f"{elsewhere or 'a container'} runs it where paths may mean something else")
    return Start(
        words=(*_older(argv[at]), *argv[at + 1 :]),
        cwd=_folder(launchers, names, cwd),
        environment=_variables(launchers, names, environment),
        executable=argv[at],
    )


def _is_producer(argv: Sequence[str], at: int) -> bool:
    if at and argv[at - 1] == "-m":
        return argv[at] in _MODULES
    name = os.path.basename(argv[at])
    if name in _NAMES:
        # A launcher's option may have the value `gym` (a job's name): the command is followed by one of its groups.
        after = next((word for word in argv[at + 1 :] if not word.startswith("-")), None)
        return after in _GROUPS or at == 0
    # A package or a project of another meaning may begin like an older command.
    return name.startswith(_PREFIXES) and (at == 0 or bool(_older_command(name)))


def _older(word: str) -> tuple[str, ...]:
    """The words of today's command for one of the older names; nothing for `gym` and `ng` themselves."""
    name = os.path.basename(word)
    return _older_command(name) or ((name,) if name.startswith(_PREFIXES) else ())


def _older_command(name: str) -> tuple[str, ...]:
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), None)
    return () if prefix is None else OLDER_COMMANDS.get(name.removeprefix(prefix), ())


def _folder(launchers: Sequence[str], names: Sequence[str], cwd: str) -> str:
    options: tuple[str, ...] = ()
    for i, word in enumerate(launchers):
        options = _FOLDER_OPTIONS.get(names[i], options)
        for option in options:
            long = option.startswith("--")
            if word == option and i + 1 < len(launchers):
                cwd = os.path.join(cwd, launchers[i + 1])
            elif word.startswith(f"{option}=" if long else option) and word != option:
                cwd = os.path.join(cwd, word[len(option) + long :])
    return cwd


def _variables(launchers: Sequence[str], names: Sequence[str], environment: Mapping[str, str]) -> Mapping[str, str]:
    """The environment after every `env` among the launchers."""
    current = dict(environment)
    inside = False
    for i, word in enumerate(launchers):
        inside = inside or names[i] == "env"
        if not inside:
            continue
        if word in ("-i", "-", "--ignore-environment"):
            current.clear()
        elif word in ("-u", "--unset") and i + 1 < len(launchers):
            current.pop(launchers[i + 1], None)
        elif word.startswith("--unset="):
            current.pop(word.removeprefix("--unset="), None)
        elif "=" in word and not word.startswith("-"):
            name, _, value = word.partition("=")
            current[name] = value
    return current
