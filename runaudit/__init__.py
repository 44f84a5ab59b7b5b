"""runaudit: says where the evidence of an evaluation run is, whether it is this run's, and whether it changed."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runaudit.layouts.nemo_gym.selection import NO_REFERENCE_SOLUTION
    from runaudit.usecases.signatures import output_signatures
    from runaudit.usecases.summarize import (
        Identity,
        build_run_summary,
        run_summary_path_for,
        write_run_summary,
    )

_PUBLIC = {
    "NO_REFERENCE_SOLUTION": "runaudit.layouts.nemo_gym.selection",
    "Identity": "runaudit.usecases.summarize",
    "build_run_summary": "runaudit.usecases.summarize",
    "output_signatures": "runaudit.usecases.signatures",
    "run_summary_path_for": "runaudit.usecases.summarize",
    "write_run_summary": "runaudit.usecases.summarize",
}

__all__ = [  # noqa: RUF022  # in the order in which a run uses them
    "output_signatures",
    "build_run_summary",
    "write_run_summary",
    "run_summary_path_for",
    "Identity",
    "NO_REFERENCE_SOLUTION",
]


def __getattr__(name: str) -> Any:
    """Imports a public name when it is asked for: `import runaudit` alone must cost nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'runaudit' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_PUBLIC[name]), name)
