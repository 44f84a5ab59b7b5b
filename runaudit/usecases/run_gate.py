"""The gate for one run: what a policy says of the run as its evidence shows it, without a baseline.

The file is the one that `diff` reads; rules about a change are left out. Findings at the policy's level fail by the
audit's own rule (`threshold`), since the audit knows more findings than the document has.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from runaudit.assemble.encode import document_bytes
from runaudit.compare.comparison import compare
from runaudit.compare.document import RunDocument, decode
from runaudit.compare.gate import Judgement, judge_alone
from runaudit.compare.policy import Policy
from runaudit.errors import UsageError
from runaudit.model.finding import LEVELS, Level
from runaudit.read.named import is_folder
from runaudit.usecases.diff import SEED, read_policy


def policy_for(path: str | None, audited: Sequence[str]) -> Policy | None:
    """The policy in a file, None for none.

    Raises UsageError when it does not parse, and when it lies inside an audited folder: a received folder does not
    influence its own audit.
    """
    if path is None:
        return None
    real = os.path.realpath(path)
    for place in audited:
        folder = os.path.realpath(place if is_folder(place) else os.path.dirname(place) or ".")
        if real.startswith(folder.rstrip("/") + "/"):
            raise UsageError(f"{path}: this policy lies inside the folder that is audited; name a copy outside it")
    return read_policy(path)


def gate(document: Mapping[str, Any], policy: Policy, *, allow_empty: bool) -> Judgement:
    """What the policy says of a summary document's tasks and metrics."""
    rules = msgspec.structs.replace(policy, fail_level=None)
    run = decode(document_bytes(document), "the rebuilt summary")
    comparison = compare(RunDocument(), run, rules, Random(SEED), SEED)  # noqa: S311  # statistics
    return judge_alone(comparison, rules, allow_empty=allow_empty)


def threshold(told: Level | None, policy: Policy | None) -> Level | None:
    """The mildest level that fails: of the one told and the policy's."""
    levels = [level for level in (told, policy.fail_level if policy else None) if level is not None]
    return max(levels, key=LEVELS.index, default=None)


def reasons(judgements: Iterable[tuple[str, Judgement]], word: str) -> tuple[str, ...]:
    """The reasons of every ruling that came to a word, each with the name of its run."""
    return tuple(
        f"{run}: {ruling.detail} ({ruling.rule})"
        for run, judgement in judgements
        for ruling in judgement.rulings
        if ruling.word == word
    )


def policy_document(policy: Policy) -> dict[str, Any]:
    """Which policy it was, for a report."""
    return {"file": policy.source, "digest": policy.digest}


def rulings_document(judgement: Judgement | None) -> dict[str, Any]:
    """The rulings as a report states them; nothing without a policy."""
    return {} if judgement is None else {"rulings": msgspec.to_builtins(judgement.rulings)}
