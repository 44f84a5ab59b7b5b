"""What of a job's configuration departs from Harbor's defaults and bears on comparing its scores with others'.

Values of environment variables are never repeated, nor are arguments of agents.
"""

from collections.abc import Iterator
from typing import Any

from runaudit.layouts.harbor.job import Job
from runaudit.layouts.harbor.trial import Trial
from runaudit.layouts.json_fields import at, mapping, sequence
from runaudit.model.finding import Finding

MULTIPLIERS = (
    "timeout_multiplier",
    "agent_timeout_multiplier",
    "verifier_timeout_multiplier",
    "agent_setup_timeout_multiplier",
    "environment_build_timeout_multiplier",
)
ENVIRONMENT = ("override_cpus", "override_memory_mb", "override_storage_mb", "override_gpus", "override_tpu")
VERIFIER = ("override_timeout_sec", "max_timeout_sec", "disable", "import_path")
AGENT = ("override_timeout_sec", "max_timeout_sec", "override_setup_timeout_sec", "load_trajectory")
_SUBSET = ("n_tasks", "task_names", "exclude_task_names")
_JOB = ("install_only", "extra_instructions", "extra_instruction_paths", "override_error_policy", "source_jobs")
_SHOWN = 120


def departures(config: dict[str, Any]) -> dict[str, Any]:
    """The settings that are not the default, by dotted name."""
    found = {name: config.get(name) for name in MULTIPLIERS if config.get(name) not in (None, 1, 1.0)}
    found |= _set_in(config, _JOB, "")
    found |= _set_in(mapping(config.get("environment")), ENVIRONMENT, "environment.")
    found |= _set_in(mapping(config.get("verifier")), VERIFIER, "verifier.")
    for number, agent in enumerate(sequence(config.get("agents"))):
        found |= _set_in(mapping(agent), AGENT, f"agents.{number}.")
    for number, dataset in enumerate(sequence(config.get("datasets"))):
        found |= _set_in(mapping(dataset), _SUBSET, f"datasets.{number}.")
    return found


def _set_in(settings: dict[str, Any], names: tuple[str, ...], prefix: str) -> dict[str, Any]:
    # Zero GPUs or none left out are settings, too: only what is unset, false or empty is the default.
    return {
        prefix + name: value
        for name in names
        if (value := settings.get(name)) is not None and value is not False and value not in ("", [], {})
    }


def departure_findings(job: Job, trials: list[Trial]) -> Iterator[Finding]:
    """One note for each departure; without the job's configuration, for each that a trial's own has."""
    said = {(name, _brief(value)): job.config.path for name, value in departures(job.config.value).items()}
    for trial in trials if not job.config.usable else ():
        config = mapping(trial.result.value.get("config")) or trial.config.value
        own = departures(config | {"agents": [mapping(config.get("agent"))]})
        for name, value in own.items():
            said.setdefault((name, _brief(value)), trial.label)
    for (name, value), path in said.items():
        yield Finding("departure-from-defaults", f"{name} is {value}", path=path)
    if count_disabled(job):
        yield Finding("departure-from-defaults", "the lock plans trials whose verifier is disabled", path=job.lock.path)


def _brief(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def count_disabled(job: Job) -> int:
    """How many planned trials have a verifier that is switched off or replaced, though the configuration is silent."""
    if at(job.config.value, "verifier", "disable") is True:
        return 0
    return sum(at(entry, "verifier", "disable") is True for entry in sequence(job.lock.value.get("trials")))
