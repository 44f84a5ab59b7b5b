"""Exports of self-play games: build their manifest, and check an export against it. Nothing of a game is run here."""

import os
from collections.abc import Sequence
from typing import Any

import msgspec
import orjson

from runaudit.errors import InputError
from runaudit.layouts.games import count_rules, file_rules, live, reward_rules
from runaudit.layouts.games.card import Said, said_by
from runaudit.layouts.games.compose import compose
from runaudit.layouts.games.export import Export
from runaudit.layouts.games.joining import Joined, join, shared_names
from runaudit.layouts.games.listing import look_through
from runaudit.layouts.games.names import CARD, MANIFEST
from runaudit.layouts.games.shape import stated_in
from runaudit.layouts.games.stated import Stated
from runaudit.model.check import Check
from runaudit.model.finding import Finding, Level
from runaudit.model.report import Report
from runaudit.model.trouble import Trouble
from runaudit.read.documents import read_bytes, read_json
from runaudit.read.places import Places
from runaudit.read.values import NonFinite
from runaudit.usecases.conclude import unread
from runaudit.usecases.games_mining import LogSources, Mined, mine_logs
from runaudit.usecases.games_settings import Settings, concluded_on
from runaudit.write.atomic import is_leftover, replace

_INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class Manifest(msgspec.Struct, frozen=True):
    """A manifest that was built: its bytes, and the report on what went into it."""

    document: dict[str, Any]
    content: bytes
    report: Report


def build_games_manifest(
    root: str,
    *,
    sources: LogSources | None = None,
    live_folder: str | None = None,
    fail_on: Level | None = None,
    settings: Settings | None = None,
) -> Manifest:
    """The manifest of the export below `root`. Unknown fields of a manifest that lies there are kept.

    Raises InputError when there are no generations, or when another kind of document has the manifest's name.
    """
    export = _export(root, live_folder)
    mined = mine_logs(sources or LogSources())
    joined = join(export.games, mined.logs) if mined else Joined(played={})
    likeness = live.nearest(export)
    document = compose(export, mined.logs if mined else None, joined.played, likeness, _earlier(root))
    findings = [
        *export.findings,
        *shared_names(export.games),
        *file_rules.names(export, export.memory.skills if export.memory else frozenset()),
        *live.judged(likeness),
        *(mined.findings if mined else ()),
        *joined.findings,
    ]
    checks = (_logs_check(mined, "no logs given: rewards were not mined"), _live_check(export))
    concluded = concluded_on(findings, checks, settings, judged=1, fail_on=fail_on)
    report = Report(
        kind="games_manifest",
        version=1,
        subject=root,
        verdict=concluded.verdict,
        checks=checks,
        findings=concluded.findings,
        body=_counts(document["summary"], mined),
        headline=(_headline(document["summary"]),),
        configuration=concluded.configuration,
        fail_on=fail_on,
    )
    return Manifest(document=document, content=orjson.dumps(document, option=_INDENTED), report=report)


def write_games_manifest(root: str, manifest: Manifest, *, output: str | None = None) -> str:
    """Writes the manifest atomically, by default into the export; returns the path. Raises OutputError."""
    path = output or os.path.join(root, MANIFEST)
    replace(path, [manifest.content])
    return path


def verify_games(
    root: str,
    *,
    sources: LogSources | None = None,
    live_folder: str | None = None,
    fail_on: Level | None = "error",
    settings: Settings | None = None,
) -> Report:
    """Checks an export against its manifest, its card, and the logs where they are given.

    Raises InputError when there is no manifest, no generations, or a log cannot be read.
    """
    export = _export(root, live_folder)
    stated = _stated(root)
    said, card_check, card_findings = _card(root)
    mined = mine_logs(sources or LogSources())
    findings = [*export.findings, *card_findings, *(mined.findings if mined else ())]
    if isinstance(stated, Finding):
        findings.append(stated)
    else:
        findings += _judged(stated, export, said, mined)
    checks = (
        Check(name="manifest", made=isinstance(stated, Stated), belongs=True),
        Check(name="files", made=True, count=len(export.games)),
        card_check,
        _logs_check(mined, "no logs given: rewards were compared with themselves only"),
        _live_check(export),
        *unread(dict.fromkeys(findings)),
    )
    concluded = concluded_on(findings, checks, settings, judged=len(export.games), fail_on=fail_on)
    return Report(
        kind="games_verify",
        version=1,
        subject=root,
        verdict=concluded.verdict,
        checks=checks,
        findings=concluded.findings,
        body={"counts": _disk_counts(export, stated if isinstance(stated, Stated) else None), **_mined_part(mined)},
        headline=(f"{len(export.games)} games in {len(export.folders)} folders",),
        configuration=concluded.configuration,
        fail_on=fail_on,
    )


def _judged(stated: Stated, export: Export, said: Sequence[Said], mined: Mined | None) -> list[Finding]:
    pairs = file_rules.matched(stated, export)
    skills = set(export.memory.skills if export.memory else ())
    skills |= {skill.lower() for skill in stated.summary.per_skill or ()}
    findings = [
        *stated.findings,
        *count_rules.counts(stated, export),
        *count_rules.card_counts(said, stated, export),
        *file_rules.files(pairs, export),
        *file_rules.hints(pairs, export),
        *file_rules.memory(stated, export),
        *file_rules.names(export, frozenset(skills)),
        *file_rules.fields(pairs),
        *shared_names(export.games),
        *reward_rules.entries(stated),
        *reward_rules.job_totals(stated),
        *live.claims(live.nearest(export), stated.summary.live_note, export),
        *(broken for one in said if one.about == "live" for broken in _card_live(one, export)),
        *map(_stranger, export.strangers),
    ]
    if mined is not None:
        joined = join(export.games, mined.logs)
        findings += [*joined.findings, *reward_rules.against_logs(stated, pairs, mined.logs, joined.played)]
    return findings


def _stranger(path: str) -> Finding:
    if is_leftover(os.path.basename(path)):
        return Finding(id="leftover-file", message="a stopped writer left it; it is not read", path=path)
    return Finding(id="unlisted-file", message="in no list", path=path)


def _card_live(said: Said, export: Export) -> list[Finding]:
    """A card's claim of byte-identity; what it says is put as the manifest's note puts it."""
    note = f"byte-identical to {said.name} for all {said.number}"
    return live.claims(live.nearest(export), note, export, path=CARD)


def _export(root: str, live_folder: str | None) -> Export:
    if not os.path.isdir(root):
        raise InputError(f"{root}: no such folder")
    export = look_through(root, live=live_folder)
    if not export.folders:
        raise InputError(f"{root}: no generations below it (generations/gen_GG_step_SSSSS, generations/partial/step_…)")
    return export


def _earlier(root: str) -> dict[str, Any] | None:
    """The manifest that lies there already; None without one, and for one that does not parse: that is replaced."""
    sight = Places([root]).look(MANIFEST)
    document = read_json(sight) if sight.kind == "file" else None
    if document is None or isinstance(document, Trouble):
        return None
    if stated_in(document.value) is None:
        raise InputError(f"{os.path.join(root, MANIFEST)}: it is another kind of document and is not overwritten")
    return dict(_encodable(document.value))


def _encodable(value: Any) -> Any:
    """The value with numbers that are not finite as the text that stood there."""
    if isinstance(value, NonFinite):
        return value.text
    if isinstance(value, dict):
        return {key: _encodable(inner) for key, inner in value.items()}
    return [_encodable(inner) for inner in value] if isinstance(value, list) else value


def _stated(root: str) -> Stated | Finding:
    sight = Places([root]).look(MANIFEST)
    if sight.kind == "absent":
        raise InputError(f"{os.path.join(root, MANIFEST)}: no manifest; build one with: runaudit games manifest")
    document = read_json(sight, strict_keys=True)
    if isinstance(document, Trouble):
        return Finding(id="games-manifest-unreadable", message=document.message, path=MANIFEST, offset=document.offset)
    stated = stated_in(document.value)
    if stated is None:
        return Finding(id="games-manifest-unreadable", message="no object with a list of games", path=MANIFEST)
    return stated


def _card(root: str) -> tuple[tuple[Said, ...], Check, tuple[Finding, ...]]:
    sight = Places([root]).look(CARD)
    if sight.kind == "absent":
        return (), Check(name="card", made=False, reason=f"there is no {CARD}"), ()
    data = read_bytes(sight)
    if isinstance(data, Trouble):
        return (), Check(name="card", made=False, reason=data.message, belongs=True), (data.at(CARD),)
    said = said_by(data.decode("utf-8", "replace"))
    if not said:
        return (), Check(name="card", made=False, reason="it states no number in a form that is understood"), ()
    return said, Check(name="card", made=True, count=len(said)), ()


def _logs_check(mined: Mined | None, reason: str) -> Check:
    if mined is None:
        return Check(name="logs", made=False, reason=reason)
    return Check(name="logs", made=True, count=sum(len(log.entries) for log in mined.logs))


def _live_check(export: Export) -> Check:
    if export.live is None:
        return Check(name="live folder", made=False, reason="there is no folder of live games")
    return Check(name="live folder", made=True, count=len(export.live.files))


def _counts(summary: dict[str, Any], mined: Mined | None) -> dict[str, Any]:
    total, joined = summary["total_games"], summary["games_with_reward_data"]
    return {"counts": {**summary, "join_rate": joined / total if total else None}, **_mined_part(mined)}


def _mined_part(mined: Mined | None) -> dict[str, Any]:
    if mined is None:
        return {"logs": None}
    return {
        "logs": [
            {"job": log.job, "lines": log.lines, "entries": len(log.entries), "lower_bound": list(log.lower_bound)}
            for log in mined.logs
        ]
    }


def _disk_counts(export: Export, stated: Stated | None) -> dict[str, Any]:
    return {
        "total_games": len(export.games),
        "listed_games": len(stated.games) if stated else None,
        "hints": sum(game.hint is not None for game in export.games),
        "per_generation_counts": export.per_generation(),
        "per_skill_counts": export.per_skill(),
        "env_memory_entries": export.memory.entries if export.memory else None,
    }


def _headline(summary: dict[str, Any]) -> str:
    total, joined = summary["total_games"], summary["games_with_reward_data"]
    return f"{total} games, {joined} with rewards ({joined / total:.1%})" if total else "no games"
