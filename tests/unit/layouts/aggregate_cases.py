"""Small runs for the tests of the aggregate's rules, and the check with its bookkeeping."""

from typing import Any

from runaudit.layouts.nemo_gym.aggregate import check
from runaudit.layouts.nemo_gym.findings import DEFINITIONS
from runaudit.model.finding import Finding
from tests.unit.layouts.aggregate_producer import REPEAT, SERVER, TASK, Json, Rules, Run, slots_of

TOKENS: Json = {"response": {"usage": {"input_tokens": 12, "output_tokens": 3}}}
NAMED: Json = {SERVER: "demo", "agent_ref": {"name": "demo_agent"}}
KNOWN = {definition.id for definition in DEFINITIONS}


def row(
    task: int, reward: Any = 1.0, repeat: int = 0, *, server: str = "demo", agent: str = "demo_agent", **more: Any
) -> Json:
    names = {SERVER: server, "agent_ref": {"name": agent}}
    return {TASK: task, REPEAT: repeat, "reward": reward, **names, **TOKENS, **more}


def owed(*tasks: int) -> list[Json]:
    return [{TASK: task, REPEAT: 0, **NAMED} for task in tasks]


def failed(task: int, name: str = "environment_server_failed", **more: Any) -> Json:
    return {TASK: task, REPEAT: 0, "_ng_failure_class": name, **NAMED, **more}


def found(run: Run, entries: object, *, sidecars: bool = True, unplaced: int = 0) -> tuple[Finding, ...]:
    findings, _ = check(entries, slots_of(run), path="a.json", sidecars=sidecars, unplaced=unplaced)
    assert {finding.id for finding in findings} <= KNOWN
    assert {finding.path for finding in findings} <= {"a.json"}
    return findings


def ids(run: Run, entries: object, *, sidecars: bool = True, unplaced: int = 0) -> list[str]:
    return [finding.id for finding in found(run, entries, sidecars=sidecars, unplaced=unplaced)]


TWO = Run(rows=[row(0), row(1)], inputs=owed(0, 1))
THREE_OWED = Run(rows=[row(0), row(1)], inputs=owed(0, 1, 2))
ONE_FAILED = Run(rows=[row(0), row(1)], failures=[failed(2)], inputs=owed(0, 1, 2))
CLASS = frozenset({"environment_server_failed"})


OLD = Rules(listed=False, counted=False)
COUNTED = Rules(listed=False)
TWO_SERVERS = Run(rows=[row(0), row(1, 0.0, server="other", agent="other_agent")])
