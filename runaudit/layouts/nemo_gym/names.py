"""The names that a NeMo Gym run gives its files, all derived from the rollouts path (`--output`).

Source: nemo_gym/path_utils.py of 0.7.0 (stem = the name without its last suffix) and the run summary module of later
releases. A `.gz` is stripped first: no release writes one, so it was put on afterwards.
"""

import os

import msgspec

QUALITY_SUMMARY = "quality_summary.json"
ROLLOUT_VERDICTS = "rollout_verdicts.jsonl"
SKIPPED = "skipped.json"

# keys of `files` whose files a run writes under its own output names, and that are signed before dispatch
SIGNED = (
    "rollouts",
    "failures",
    "materialized_inputs",
    "aggregate_metrics",
    "sources",
    "quality_summary",
    "rollout_verdicts",
)
_SIDECARS = ("_failures", "_materialized_inputs", "_prepare", "_reward_profiling")
_PLACES_OF_OTHERS = (ROLLOUT_VERDICTS, "tasks.jsonl", "skipped.jsonl", "manifest.jsonl", "runaudit_ledger.jsonl")


class Names(msgspec.Struct, frozen=True):
    """Names derived from one rollouts file name, relative to its folder."""

    rollouts: str

    @property
    def stem(self) -> str:
        """The rollouts' name without `.gz` and without its last suffix."""
        return os.path.splitext(self.rollouts.removesuffix(".gz"))[0]

    @property
    def failures(self) -> str:
        """The failures sidecar."""
        return f"{self.stem}_failures.jsonl"

    @property
    def materialized_inputs(self) -> str:
        """What the run owed."""
        return f"{self.stem}_materialized_inputs.jsonl"

    @property
    def aggregate_metrics(self) -> str:
        """The producer's metrics over the rows."""
        return f"{self.stem}_aggregate_metrics.json"

    @property
    def sources(self) -> str:
        """The shards of a merged file."""
        return f"{self.stem}_sources.json"

    @property
    def summary(self) -> str:
        """The run summary."""
        return f"{self.stem}_run_summary.json"

    @property
    def alternative_summary(self) -> str:
        """The run summary where the producer wrote a document of its own under the first name."""
        return f"{self.stem}_runaudit_summary.json"

    @property
    def signatures(self) -> str:
        """The signatures taken before dispatch."""
        return f"{self.stem}_output_signatures.json"

    @property
    def prepared(self) -> str:
        """The folder of collated inputs."""
        return f"{self.stem}/preprocessed_datasets"

    def own(self) -> dict[str, str]:
        """The signed names by the keys of `files`."""
        return {
            "rollouts": self.rollouts,
            "failures": self.failures,
            "materialized_inputs": self.materialized_inputs,
            "aggregate_metrics": self.aggregate_metrics,
            "sources": self.sources,
            "quality_summary": QUALITY_SUMMARY,
            "rollout_verdicts": ROLLOUT_VERDICTS,
        }


def looks_like_rollouts(name: str) -> bool:
    """Whether a file name can be a rollouts file: rows, and nobody's sidecar, prepared rows or inputs."""
    plain = name.removesuffix(".gz")
    if not plain.endswith(".jsonl") or plain.startswith(".") or plain in _PLACES_OF_OTHERS:
        return False
    stem = plain.removesuffix(".jsonl")
    return not any(stem.endswith(end) or f"{end}." in stem for end in _SIDECARS)


def of_path(path: str) -> tuple[str, Names]:
    """The folder and the names of a rollouts path."""
    folder, name = os.path.split(path)
    return folder or ".", Names(rollouts=name)
