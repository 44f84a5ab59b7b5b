"""Checks a claims file against the folder that it speaks of."""

import os
import re
import tomllib
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import msgspec

from runaudit.claims.card import stands_in, uncovered
from runaudit.claims.claims_format import parse
from runaudit.claims.evaluating import evaluate
from runaudit.claims.statement import ClaimsFile
from runaudit.errors import InputError, UsageError
from runaudit.model.check import Check
from runaudit.model.configuration import Configuration
from runaudit.model.finding import Finding, Level
from runaudit.model.report import Report
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes
from runaudit.read.places import Places
from runaudit.usecases.claims_evidence import FolderEvidence
from runaudit.usecases.claims_report import Answered, Judging, Unlooked, findings_of, report_of
from runaudit.usecases.configuration import Loaded

LARGEST_CLAIMS = 8 << 20
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*claims[ \t]*\]\]", re.MULTILINE)


class ClaimsOptions(msgspec.Struct, frozen=True):
    """How to check. `root` None is the folder of the claims file; `roots` are further folders for its links."""

    today: date = date.min
    root: str | None = None
    roots: tuple[str, ...] = ()
    allow_unknown: bool = False
    allow_empty: bool = False
    fail_on: Level | None = "error"
    loaded: Loaded = Loaded(configuration=Configuration())


def check_claims(path: str, options: ClaimsOptions | None = None) -> Report:
    """Evaluates every statement of a claims file.

    Raises UsageError when the file does not parse, InputError when it or the folder is not there.
    """
    told = options or ClaimsOptions()
    root = told.root if told.root is not None else os.path.dirname(path) or "."
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder")
    text = _text(path)
    claims = read_claims(text, path)
    evidence = FolderEvidence(root, more_roots=told.roots)
    lines = _lines(text, len(claims.statements))
    answered = tuple(
        Answered(statement=one, answer=evaluate(one, evidence), line=line)
        for one, line in zip(claims.statements, lines, strict=True)
    )
    name = _shown_name(path, root)
    unlooked, card_check, more = _card(claims, root)
    findings = (*findings_of(answered, unlooked, name), *more, *told.loaded.notes)
    judging = Judging(
        unknown_is_fine=told.allow_unknown,
        allow_empty=told.allow_empty,
        fail_on=told.fail_on,
        configuration=told.loaded.configuration,
        today=told.today,
    )
    return report_of(path, answered, unlooked, findings, card_check, judging)


def read_claims(text: str, source: str) -> ClaimsFile:
    """The statements in the text of a claims file. Raises UsageError."""
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{source}: no TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{source}: no TOML that can be read: nested too deep") from None
    return parse(document, source)


def _text(path: str) -> str:
    # the user names this file, so a link at its place is followed; what it names is another matter
    real = os.path.realpath(path)
    if not os.path.lexists(real):
        raise InputError(f"{path}: no such file")
    data = read_bytes(Places([os.path.dirname(real)]).look(real), LARGEST_CLAIMS)
    if isinstance(data, Trouble):
        raise InputError(f"{path}: {data.message}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: no UTF-8 text at byte {error.start}") from None


def _lines(text: str, count: int) -> Sequence[int | None]:
    """The line of each `[[claims]]`; none when the file writes its claims in another way."""
    found = [text.count("\n", 0, header.start()) + 1 for header in _HEADER.finditer(text)]
    return found if len(found) == count else [None] * count


def _shown_name(path: str, root: str) -> str:
    """The claims file relative to the audited folder, or its base name where it lies elsewhere."""
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return os.path.basename(path) if relative.startswith("..") else relative


def _card(claims: ClaimsFile, root: str) -> tuple[tuple[Unlooked, ...], Check, tuple[Finding, ...]]:
    """The sentences that nobody checked, and the claims whose sentence is not in the card."""
    named = tuple(Unlooked(one.sentence, one.why or "the author lists it as unchecked") for one in claims.unchecked)
    if claims.card is None:
        return named, Check(name="card", made=False, reason="the claims file names no card"), ()
    sight = Places([root]).look(claims.card)
    data = read_bytes(sight)
    if isinstance(data, Trouble):
        outside = (data.at(claims.card),) if sight.kind == "outside-root" else ()
        reason = f"{claims.card}: {data.message}"
        return named, Check(name="card", made=False, reason=reason, belongs=True), outside
    card = data.decode("utf-8", "replace")
    covered = [*(one.sentence for one in claims.statements), *(one.sentence for one in claims.unchecked)]
    found = uncovered(card, covered)
    named += tuple(
        Unlooked(one.text, "no claim stands for it, or for a part of it", claims.card, one.line) for one in found
    )
    return named, Check(name="card", made=True, count=len(covered)), _strange(claims, card)


def _strange(claims: ClaimsFile, card: str) -> tuple[Finding, ...]:
    return tuple(
        Finding(id="claim-not-in-card", message=f"{one.id}: {one.sentence}", path=claims.card)
        for one in claims.statements
        if not stands_in(card, one.sentence)
    )
