"""Composes the run summary from an account, its counts and its findings."""

from typing import Any

from runaudit.model.account import Account
from runaudit.model.finding import Group
from runaudit.model.request import Request
from runaudit.model.summary import Counts, Summary


def compose(account: Account, counts: Counts, findings: tuple[Group, ...], options: dict[str, Any]) -> Summary:
    """The summary as a value."""
    return Summary(account=account, counts=counts, options=options, findings=findings)


def options_of(request: Request, *, signatures_digest: str | None, redact: tuple[str, ...]) -> dict[str, Any]:
    """Everything that shaped the document and cannot be found on disk again.

    Maps are not among them: where a row's folder was found is in its entry, and a path of this machine belongs into
    no document.
    """
    told = ("target", "taskset", "agent", "dataset", "rows", "run_config")
    return {
        "split": request.split,
        "digest": request.digest or "none",
        "pass_at": request.pass_at,
        "messages": request.messages,
        "max_row": request.max_row,
        "resumed": request.resumed,
        "signatures": signatures_digest,
        "redacted": len(redact),
        "told": [
            *(name for name in told if getattr(request, name) is not None),
            *(name for name in ("expected", "unvalidated", "skipped") if getattr(request, name) is not None),
        ],
    }
