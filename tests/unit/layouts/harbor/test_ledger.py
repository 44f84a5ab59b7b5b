"""What the ledger states as fact, from its lines and the state that is there now."""

from pathlib import Path

import pytest

from runaudit.layouts.harbor.ledger import Attempt, line_of, parse_ledger
from runaudit.layouts.harbor.ledger_rules import ledger_findings
from runaudit.layouts.harbor.trial import Tokens
from runaudit.usecases.record import record_state
from tests.job_builders.harbor_job import HarborJob, edit

FIRST = Attempt(name="greet__AAAAAAA", id="1", task="greet", rewards={"reward": 0}, result="sha256:aa")
SECOND = Attempt(name="sum__BBBBBBB", id="2", task="sum", rewards={"reward": 1}, result="sha256:bb")
CANCELLED = Attempt(name="stall__CCCCCCC", id="3", exception="CancelledError")
AGAIN = Attempt(name="greet__AAAAAAA", id="9", task="greet", rewards={"reward": 1})


def told(lines: list[bytes], now: list[Attempt], *, retries: bool = False) -> list[tuple[str, str | None, str | None]]:
    ledger = parse_ledger(b"".join(lines))
    return [(found.id, found.expected, found.found) for found in ledger_findings(ledger, now, retries=retries)]


def test_a_line_and_its_parser_are_inverses() -> None:
    attempt = Attempt(
        name="greet__AAAAAAA",
        id="1",
        task="greet",
        rewards={"reward": 0.5},
        exception="OddError",
        started="2026-03-04T05:06:07Z",
        tokens=Tokens(10, 5, 2, 0.25),
        result="sha256:aa",
        reward_files={"verifier/reward.txt": "sha256:bb"},
        line=1,
    )
    (entry,) = parse_ledger(line_of("end", [attempt], "job")).entries
    assert (entry.event, entry.attempts) == ("end", (attempt,))


def test_nothing_is_said_when_nothing_changed() -> None:
    assert told([line_of("start", [], None), line_of("end", [FIRST, SECOND], None)], [FIRST, SECOND]) == []


def test_an_attempt_that_is_gone_is_named_with_its_reward() -> None:
    assert told([line_of("end", [FIRST, SECOND], None)], [SECOND]) == [("attempt-vanished", "0", "no trial")]


def test_an_attempt_under_another_id_was_replaced() -> None:
    assert told([line_of("end", [FIRST], None)], [AGAIN]) == [("attempt-replaced", "0", "1")]


def test_a_loss_is_told_once_however_many_states_follow() -> None:
    lines = [line_of("end", [FIRST], None), line_of("start", [], None), line_of("end", [AGAIN], None)]
    assert told(lines, [AGAIN]) == [("attempt-vanished", "0", "no trial")]


def test_a_result_that_says_something_else_was_edited() -> None:
    edited = Attempt(name=FIRST.name, id="1", rewards={"reward": 1}, result="sha256:cc")
    assert told([line_of("end", [FIRST], None)], [edited]) == [("result-edited", "0", "1")]


def test_other_bytes_with_the_same_reward_are_an_edit_too() -> None:
    edited = Attempt(name=FIRST.name, id="1", rewards={"reward": 0}, result="sha256:cc")
    assert told([line_of("end", [FIRST], None)], [edited]) == [("result-edited", "sha256:aa", "sha256:cc")]


def test_an_attempt_that_was_never_in_a_state_counts() -> None:
    assert told([line_of("attempt", [FIRST], None)], []) == [("attempt-vanished", "0", "no trial")]


def test_a_retry_within_a_session_is_no_loss() -> None:
    failed = Attempt(name=FIRST.name, id="0", exception="OddError", tokens=Tokens(input=321, cost=4.5))
    lines = [line_of("attempt", [failed], None), line_of("attempt", [FIRST], None), line_of("end", [FIRST], None)]
    (found,) = ledger_findings(parse_ledger(b"".join(lines)), [FIRST], retries=True)
    assert found.id == "attempts-retried"
    assert (
        found.message == "greet__AAAAAAA: an attempt ended with OddError and was run again (321 input tokens, 4.5 USD)"
    )


def test_a_cancelled_trial_that_a_resume_removed_is_a_note() -> None:
    (found,) = ledger_findings(parse_ledger(line_of("summary", [CANCELLED], None)), [], retries=False)
    assert (found.id, found.level) == ("attempt-vanished", "note")


@pytest.mark.parametrize("line", [b"{\n", b"[]\n", b'{"kind":"other"}\n', b'{"kind":"runaudit_ledger","version":1}\n'])
def test_a_damaged_line_hides_no_other(line: bytes) -> None:
    assert told([line, line_of("end", [FIRST], None)], []) == [
        ("attempt-vanished", "0", "no trial"),
        ("ledger-damaged", None, None),
    ]


def test_a_line_of_a_newer_version_is_not_guessed_at() -> None:
    newer = b'{"kind":"runaudit_ledger","version":2,"event":"end","trials":[{"trial_name":"x__AAAAAAA"}]}\n'
    assert told([newer], []) == [("ledger-damaged", None, None)]


def test_a_state_is_recorded_once(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    ledger = job.folder / "runaudit_ledger.jsonl"
    record_state(str(job.folder))
    once = ledger.read_bytes()
    record_state(str(job.folder))
    assert ledger.read_bytes() == once
    edit(job.folder / "sum__BBBBBBB" / "result.json", verifier_result={"rewards": {"reward": 1}})
    record_state(str(job.folder))
    assert [entry.event for entry in parse_ledger(ledger.read_bytes()).entries] == ["summary", "summary"]


def test_a_cut_last_line_is_ended_before_the_next(tmp_path: Path) -> None:
    job = HarborJob(tmp_path / "job").sound()
    ledger = job.folder / "runaudit_ledger.jsonl"
    ledger.write_bytes(b'{"kind":"runaud')
    record_state(str(job.folder))
    parsed = parse_ledger(ledger.read_bytes())
    assert (len(parsed.entries), parsed.damaged) == (1, (1,))
