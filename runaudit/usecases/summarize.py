"""Builds the run summary and writes it: the library functions behind `runaudit summarize`."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from runaudit.assemble.encode import summary_chunks, summary_document
from runaudit.assemble.rebase import rebased
from runaudit.assemble.summary import compose, options_of
from runaudit.errors import InputError
from runaudit.judge.grouping import group
from runaudit.judge.outcomes import count, outcome_findings
from runaudit.judge.registry import stated_level
from runaudit.layouts.base import Layout, Target
from runaudit.model.account import Account
from runaudit.model.finding import Finding
from runaudit.model.request import Request
from runaudit.model.summary import KIND, Summary
from runaudit.usecases import signatures as signing
from runaudit.usecases.record import record_state
from runaudit.usecases.registry import definitions
from runaudit.usecases.stored import read_head, signatures_were_used
from runaudit.usecases.target import target_at
from runaudit.write import atomic


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Which run it was, as far as the caller knows: told values come before what the files say."""

    target: str | None = None
    taskset: str | None = None
    agent: str | None = None
    dataset: str | None = None


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What `summarize` was asked beside the layout's own request.

    `signatures` is a path, values, "none" for none, or None to take the file beside the rollouts.
    """

    request: Request = Request()
    signatures: Mapping[str, Any] | str | None = None
    redact: tuple[str, ...] = ()
    require_complete: bool = False
    write_empty: bool = True


class Built(msgspec.Struct, frozen=True):
    """A summary, where it belongs, and the redaction that its bytes need."""

    summary: Summary
    path: str
    redact: Callable[[Any], Any] | None

    def chunks(self) -> Iterator[bytes]:
        """The document's bytes, piece by piece."""
        return summary_chunks(self.summary, self.redact)

    def moved(self, prefix: str) -> Iterator[bytes]:
        """The bytes of the document in another folder, from which `prefix` leads to the run's."""
        move, clean = rebased(prefix), self.redact or (lambda part: part)
        return summary_chunks(self.summary, lambda part: clean(move(part)))

    def document(self) -> dict[str, Any]:
        """The document as the values that a reader of its bytes gets."""
        return summary_document(self.summary, self.redact)


def write(built: Built, output: str | None = None) -> str:
    """Writes the summary atomically, by default where it belongs. Returns the path. Raises OutputError.

    Written elsewhere, its paths are relative to where it stands then.
    """
    path = output or built.path
    here, run = os.path.realpath(os.path.dirname(path) or "."), built.summary.account.folder
    atomic.replace(path, built.chunks() if here == run else built.moved(os.path.relpath(run, here)))
    return path


def build(rollouts: str, options: Options) -> Built:
    """Locates, reads, judges and composes; writes nothing.

    Raises InputError when nothing lies under the run's names (unless `write_empty`), when told files cannot be
    interpreted, and when the signatures are from before another run.
    """
    layout, target = target_at(rollouts)
    path = _summary_path(layout, target)
    loaded = _signatures(layout, target, options)
    told = loaded is not None or options.request.expected is not None
    if not told and not options.write_empty and not layout.exists(target):
        raise InputError(f"{rollouts}: nothing lies under any of this run's names (a typo?); nothing was written")
    request = msgspec.structs.replace(options.request, signatures=loaded.signatures if loaded else None)
    account = layout.account(target, request)
    if loaded is not None:
        _refuse_reuse(path, account, loaded.digest)
    summary = summarize_account(account, options, loaded.digest if loaded else None)
    return Built(summary, path, redaction(options.redact))


def summarize_account(account: Account, options: Options, signatures_digest: str | None) -> Summary:
    """Judges an account's entries and composes the summary."""
    registry = definitions()
    findings = [*account.findings, *outcome_findings(account, require_complete=options.require_complete)]

    def level(finding: Finding) -> Any:
        return stated_level(finding, registry)

    groups = group(findings, registry, level_of=level)
    shaped = options_of(options.request, signatures_digest=signatures_digest, redact=options.redact)
    return compose(account, count(account), groups, shaped)


def _signatures(layout: Layout, target: Target, options: Options) -> signing.Loaded | None:
    source = options.signatures
    if source == "none" or options.request.resumed:
        return None
    if source is None:
        source = signing.beside(layout, target)
    return None if source is None else signing.load(source)  # type: ignore[arg-type]  # a mapping is a dict here


def _refuse_reuse(path: str, account: Account, digest: str) -> None:
    """Signatures that an earlier summary used while the rollouts were others are from before another run."""
    earlier = read_head(path)
    if isinstance(earlier, dict) and signatures_were_used(earlier, account, digest):
        raise InputError(
            "signatures-reused: these signatures were taken before another run (the rollouts changed since they were "
            "used); take new ones before each run, or pass --signatures none"
        )


def _summary_path(layout: Layout, target: Target) -> str:
    """The summary's path; the alternative one where the producer has a document of its own under that name."""
    path = layout.summary_path(target)
    present = read_head(path)
    foreign = isinstance(present, dict) and present.get("kind") != KIND
    return layout.alternative_summary_path(target) if foreign else path


def redaction(prefixes: Sequence[str]) -> Callable[[Any], Any] | None:
    """Takes told prefixes out of every text of a document; None when there is none to take out."""
    if not prefixes:
        return None
    ordered = sorted((prefix.rstrip("/") for prefix in prefixes if prefix.strip("/")), key=len, reverse=True)

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            for prefix in ordered:
                value = value.replace(prefix, "[redacted]")
            return value
        if isinstance(value, dict):
            return {clean(key): clean(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [clean(inner) for inner in value]
        return value

    return clean


def run_summary_path_for(rollouts: str | os.PathLike[str]) -> str:
    """Where the run summary of these rollouts belongs: `<stem>_run_summary.json` beside them."""
    layout, target = target_at(os.fspath(rollouts))
    return layout.summary_path(target)


def build_run_summary(
    rollouts: str | os.PathLike[str],
    expected: Sequence[Mapping[str, Any]] | None = None,
    *,
    split: str = "validation",
    before_dispatch: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    unvalidated: Mapping[str, str] | None = None,
    skipped: Mapping[str, str] | None = None,
    identity: Identity | None = None,
) -> dict[str, Any]:
    """The summary document of a run, as values of JSON (schema `run_summary`, version 1).

    `rollouts` is the path that the run's command named; it need not exist. `expected` are the collector's selected,
    expanded input rows, which name every task and repeat that the run was to produce; without them the saved
    materialized inputs do, else whatever rollouts and failures hold. `split` names the collated input.
    `before_dispatch` are `output_signatures` taken before a fresh start dispatched, as values or as the path of the
    file; None (a resumed run) reads what is on disk. `unvalidated` and `skipped` map task ids to reasons.
    `identity` is what the caller knows of the run.

    Every path in the document is relative to its folder. Raises InputError when told values cannot be interpreted.
    """
    return _built(rollouts, expected, split, before_dispatch, unvalidated, skipped, identity).document()


def write_run_summary(
    rollouts: str | os.PathLike[str],
    expected: Sequence[Mapping[str, Any]] | None = None,
    *,
    split: str = "validation",
    before_dispatch: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    unvalidated: Mapping[str, str] | None = None,
    skipped: Mapping[str, str] | None = None,
    identity: Identity | None = None,
) -> dict[str, Any]:
    """Writes `build_run_summary`'s document beside the rollouts, atomically, and returns it.

    The folder is created when the run wrote nothing there. Raises InputError and OutputError.
    """
    record_state(os.fspath(rollouts))
    built = _built(rollouts, expected, split, before_dispatch, unvalidated, skipped, identity)
    write(built)
    return built.document()


def _built(
    rollouts: str | os.PathLike[str],
    expected: Sequence[Mapping[str, Any]] | None,
    split: str,
    before_dispatch: Mapping[str, Any] | str | os.PathLike[str] | None,
    unvalidated: Mapping[str, str] | None,
    skipped: Mapping[str, str] | None,
    identity: Identity | None,
) -> Built:
    who = identity or Identity()
    request = Request(
        expected=expected,
        split=split,
        unvalidated=unvalidated,
        skipped=skipped,
        target=who.target,
        taskset=who.taskset,
        agent=who.agent,
        dataset=who.dataset,
    )
    source = os.fspath(before_dispatch) if isinstance(before_dispatch, os.PathLike) else before_dispatch
    options = Options(request=request, signatures="none" if source is None else source)
    return build(os.fspath(rollouts), options)
