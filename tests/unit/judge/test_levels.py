"""Configured levels and known findings: what is moved, what is named, what never applies."""

from datetime import date

import pytest

from runaudit.judge.levels import apply, matches
from runaudit.model.configuration import Configuration, KnownFinding, LevelChange
from runaudit.model.finding import Finding, Level

TODAY = date(2026, 12, 1)


def level_of(_: Finding) -> Level:
    return "warning"


def known(*, path: str = "**", expires: date = TODAY, reason: str = "ticket 7") -> KnownFinding:
    return KnownFinding(id="hollow-row", path=path, reason=reason, expires=expires)


def configured(*entries: KnownFinding, **levels: Level) -> Configuration:
    by_id = {name.replace("_", "-"): level for name, level in levels.items()}
    return Configuration(levels=by_id, known=entries, file="runaudit.toml", digest="sha256:00")


def test_without_configuration_every_finding_keeps_its_level() -> None:
    done = apply([Finding(id="hollow-row", message="m")], Configuration(), level_of=level_of, today=TODAY)
    assert done.findings == (Finding(id="hollow-row", message="m", level="warning"),)
    assert done.changes == ()
    assert done.expired == ()


@pytest.mark.parametrize("level", ["error", "note"])
def test_a_level_by_id_moves_the_finding_up_or_down_and_is_recorded(level: Level) -> None:
    findings = [Finding(id="stale-file", message="a"), Finding(id="hollow-row", message="b")]
    done = apply(findings, configured(stale_file=level), level_of=level_of, today=TODAY)
    assert [(found.id, found.level, found.configured) for found in done.findings] == [
        ("stale-file", level, "warning by default"),
        ("hollow-row", "warning", None),
    ]
    assert done.changes == (LevelChange(id="stale-file", before="warning", after=level, count=1),)


def test_a_level_that_changes_nothing_is_not_recorded() -> None:
    done = apply(
        [Finding(id="stale-file", message="a")], configured(stale_file="warning"), level_of=level_of, today=TODAY
    )
    assert done.changes == ()
    assert done.findings[0].configured is None


def test_a_known_finding_becomes_a_note_with_its_reason_at_matching_paths_only() -> None:
    findings = [Finding(id="hollow-row", message="m", path=path) for path in ("a/x.jsonl", "b/x.jsonl")]
    done = apply(findings, configured(known(path="a/*.jsonl")), level_of=level_of, today=TODAY)
    assert [found.level for found in done.findings] == ["note", "warning"]
    assert done.findings[0].configured == "warning by default, known: ticket 7"
    assert done.changes == (LevelChange(id="hollow-row", before="warning", after="note", count=1, reason="ticket 7"),)


def test_a_known_finding_goes_before_a_level_for_its_id() -> None:
    done = apply(
        [Finding(id="hollow-row", message="m")],
        configured(known(), hollow_row="error"),
        level_of=level_of,
        today=TODAY,
    )
    assert done.findings[0].level == "note"


def test_the_day_of_expiry_still_counts_and_the_next_day_does_not() -> None:
    finding = Finding(id="hollow-row", message="m")
    settings = configured(known(expires=TODAY))
    assert apply([finding], settings, level_of=level_of, today=TODAY).findings[0].level == "note"
    late = apply([finding], settings, level_of=level_of, today=date(2026, 12, 2))
    assert late.findings[0].level == "warning"
    assert late.expired == settings.known
    assert [found.id for found in late.findings] == ["hollow-row", "known-finding-expired"]
    assert late.findings[1].message == "runaudit.toml accepted hollow-row at ** until 2026-12-01: ticket 7"


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("**", None, True),
        ("**", "a/b", True),
        ("*", None, False),
        ("*", "a", True),
        ("*", "a/b", False),
        ("a/**", "a/b/c", True),
        ("**/c", "c", True),
        ("**/c", "a/b/c", True),
        ("**/c", "a/bc", False),
        ("?.json", "a.json", True),
        ("?.json", "/.json", False),
        ("a[1].json", "a[1].json", True),
        ("a.json", "axjson", False),
        ("a*", "a\nb", True),
    ],
)
def test_patterns(pattern: str, path: str | None, expected: bool) -> None:
    assert matches(pattern, path) is expected
