"""Two runs compared: every task's change, the set-up, the metrics, the paired test, the files."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from runaudit.compare.change import Change, Class, classify
from runaudit.compare.comparability import Inputs, digest_key, inputs_of
from runaudit.compare.document import FindingCount, RunDocument
from runaudit.compare.files import FileChange, file_changes
from runaudit.compare.metrics import Metric
from runaudit.compare.paired_test import PairedTest, paired_test
from runaudit.compare.pairing import Pair, pair
from runaudit.compare.policy import Policy
from runaudit.compare.resample import Source
from runaudit.compare.run_metrics import metrics_of
from runaudit.compare.setup import SetupDifference, repeats_of, setup_differences
from runaudit.compare.tally import Tally, tally


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found between one baseline and one candidate, before any rule judges it."""

    changes: tuple[Change, ...]
    remarks: tuple[str, ...]
    setup: tuple[SetupDifference, ...]
    metrics: tuple[Metric, ...]
    test: PairedTest
    files: tuple[FileChange, ...]
    findings: tuple[FindingCount, ...]
    repeats: tuple[int | None, int | None]
    single: bool
    scored: tuple[int, int]

    @property
    def counts(self) -> dict[Class, int]:
        """How many tasks are of each class."""
        return dict(Counter(change.kind for change in self.changes))


def compare(baseline: RunDocument, candidate: RunDocument, policy: Policy, source: Source, seed: int) -> Comparison:
    """Compares two runs. `source` is seeded with `seed`, which the result repeats."""
    pairing = pair(baseline, candidate)
    changes = with_other_names([_change(p, policy) for p in pairing.pairs], pairing.pairs)
    single = all(len(p.baseline) <= 1 and len(p.candidate) <= 1 for p in pairing.pairs)
    repeats = (repeats_of(p.baseline for p in pairing.pairs), repeats_of(p.candidate for p in pairing.pairs))
    tallies = [(c.baseline, c.candidate) for c in changes if c.compared and c.baseline and c.candidate]
    return Comparison(
        changes=changes,
        remarks=(*pairing.remarks, *_unknown_inputs(changes)),
        setup=setup_differences(baseline, candidate, pairing.pairs),
        metrics=metrics_of(changes, pairing.pairs, policy, repeats),
        test=paired_test(tallies, single=single, source=source, seed=seed),
        files=file_changes(baseline.evidence, candidate.evidence),
        findings=tuple(candidate.findings),
        repeats=repeats,
        single=single,
        scored=(_scored(c.baseline for c in changes), _scored(c.candidate for c in changes)),
    )


def _unknown_inputs(changes: Sequence[Change]) -> Iterable[str]:
    unknown = sum(change.inputs == "unknown" for change in changes)
    if unknown:
        yield f"whether {unknown} tasks had the same input is unknown: no digest that both sides have"


def _scored(tallies: Iterable[Tally | None]) -> int:
    return sum(t.scored for t in tallies if t is not None)


def _change(pair: Pair, policy: Policy) -> Change:
    key = pair.key
    before = tally(pair.baseline) if pair.baseline else None
    after = tally(pair.candidate) if pair.candidate else None
    inputs: Inputs | None = None
    classes: tuple[Class, ...]
    if before is None or after is None:
        classes = ("removed",) if after is None else ("added",)
    else:
        inputs = inputs_of(pair.baseline, pair.candidate)
        allowed = policy.max_drop_of(key.taskset, key.task) if policy.tasks else None
        drop = None if allowed is None else float(allowed)
        classes = ("not-comparable",) if inputs == "changed" else classify(before, after, drop)
    first = pair.first
    return Change(
        key=key,
        task_id=first.task_id,
        task_index=first.task_index,
        agent=first.agent or first.server,
        classes=classes,
        inputs=inputs,
        baseline=before,
        candidate=after,
        quarantined=bool(policy.tasks) and policy.quarantined(key.taskset, key.task),
    )


def with_other_names(changes: Sequence[Change], pairs: Sequence[Pair]) -> tuple[Change, ...]:
    """The changes; a removed and an added task of one and the same input, which no other task has, name each other."""
    sides: dict[str, tuple[list[int], list[int]]] = {}
    for position, change in enumerate(changes):
        if change.kind in ("removed", "added"):
            attempts = pairs[position].baseline or pairs[position].candidate
            key = digest_key(attempts)
            if key is not None:
                sides.setdefault(key, ([], []))[change.kind == "added"].append(position)
    found = list(changes)
    for removed, added in sides.values():
        if len(removed) == len(added) == 1:
            for here, there in ((removed[0], added[0]), (added[0], removed[0])):
                found[here] = msgspec.structs.replace(changes[here], other_name=changes[there].key.task)
    return tuple(found)
