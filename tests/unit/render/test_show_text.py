"""A shown summary: what comes first, that no line is too long, that data cannot reach the terminal raw."""

import re
from collections.abc import Callable
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies

from runaudit.model.stored import StoredSummary
from runaudit.render.columns import columns_of
from runaudit.render.options import RenderOptions, Role
from runaudit.render.show_counts import percent, share
from runaudit.render.show_text import render
from runaudit.usecases.schemas import schema
from tests.documents import closed
from tests.unit.render.stored_summaries import failure, large, stored, task

PATH = "results/swe_verified_run_summary.json"


def shown(summary: StoredSummary, width: int = 80, *, every: bool = False) -> str:
    return render(summary, PATH, options=RenderOptions(width=width, every_place=every))


def test_a_summary_of_300_tasks_at_80_columns(matches_golden: Callable[[str, str], None]) -> None:
    matches_golden(shown(stored()), "show_300_tasks.txt")


def test_everything_of_a_summary_of_300_tasks(matches_golden: Callable[[str, str], None]) -> None:
    matches_golden(shown(stored(), every=True), "show_300_tasks_all.txt")


def test_the_shown_document_is_one_that_the_schema_knows() -> None:
    assert list(jsonschema.Draft202012Validator(closed(schema("run_summary"))).iter_errors(large())) == []


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("width", [20, 40, 80, 132])
def test_no_line_is_longer_than_asked(width: int, every: bool) -> None:
    assert max(map(columns_of, shown(stored(), width, every=every).splitlines())) <= width


def test_numbers_come_first_then_what_is_wrong_then_where_things_are() -> None:
    text = shown(stored())
    order = [
        text.index(word) for word in ("300 selected", "mean reward", "Why the mean", "What is wrong", "Failures by")
    ]
    order += [text.index(word) for word in ("Skipped", "Not checked", "Where things are", "Left by an earlier run")]
    assert order == sorted(order)


def test_every_outcome_has_its_count_and_its_share() -> None:
    text = shown(stored())
    assert re.search(r"scored +251 +83\.7%", text)
    assert re.search(r"conflicted +1 +0\.3%", text)


@pytest.mark.parametrize(
    ("count", "whole", "text"),
    [(0, 0, "-"), (0, 9, "0.0%"), (9, 9, "100.0%"), (9999, 10000, ">99.9%"), (1, 10000, "<0.1%"), (1, 3, "33.3%")],
)
def test_a_share_is_all_or_nothing_only_when_it_is(count: int, whole: int, text: str) -> None:
    assert share(count, whole) == text


def test_a_share_rounds_as_it_should() -> None:
    assert percent(0.1234) == "12.3%"


def test_a_mean_of_nothing_says_so() -> None:
    counts = {**large()["counts"], "mean_reward": {"value": None, "n": 0, "coverage": 0.0}, "passed": None}
    text = shown(stored(counts=counts))
    assert "none: nothing was scored of 300 selected" in text
    assert "passed" not in text.split("What is wrong")[0]


def test_a_run_without_a_list_of_what_it_owed_says_so() -> None:
    text = shown(stored(run={**large()["run"], "selected_from": "rows"}), 200)
    assert "taken from the rows alone: nothing can be called missing" in text


def test_failures_are_counted_by_class_the_most_frequent_first() -> None:
    tasks = [
        task(0, "failed", failure=failure("seldom", None, 1)),
        *(task(n, "failed", failure=failure("often", "kind", 2, terminal=True)) for n in (1, 2)),
        task(3, "failed", failure=failure(None, "only_a_kind", 1)),
        task(4, "masked", failure=failure("no_failure", None)),
    ]
    lines = shown(stored(tasks=tasks)).split("Failures by class")[1].splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["often", "only_a_kind", "seldom"]
    assert lines[1].split(maxsplit=1)[1] == "2  (4 attempts, 2 given up, kind 2)"


def test_no_findings_say_so() -> None:
    text = shown(stored(findings=[]))
    assert "Nothing is wrong: no findings" in text
    assert "explain" not in text


def test_a_finding_says_how_many_places_are_not_shown() -> None:
    place = {"message": "m"}
    group = {"id": "x-y", "level": "warning", "title": "t", "count": 57, "places": [place] * 20}
    assert "54 more, 17 of them with --all; the summary lists the first 20" in shown(stored(findings=[group]))
    assert "37 more; the summary lists the first 20" in shown(stored(findings=[group]), every=True)
    assert "17 more (--all)" in shown(stored(findings=[{**group, "count": 20}]))
    assert (
        " more"
        not in shown(stored(findings=[{**group, "count": 3, "places": [place] * 3}])).split("Failures")[0][-200:]
    )


def test_a_long_path_is_broken_with_a_mark_and_an_explanation() -> None:
    path = "a/very-long-folder-name/" * 6 + "rollouts.jsonl"
    text = shown(stored(files={"rollouts": path}, missing_paths=[], findings=[]))
    broken = [line.strip() for line in text.splitlines() if line.endswith("\\")]
    assert broken
    assert all(line.endswith("/\\") for line in broken)
    assert "A line that ends in \\ goes on in the next one" in text
    joined = re.sub(r"\\\n +", "", text)
    assert path in joined


def test_a_summary_whose_lines_fit_explains_no_mark() -> None:
    assert "A line that ends in" not in shown(stored(), 200)


def test_colours_go_on_last() -> None:
    def style(role: Role, text: str) -> str:
        return f"<{role}>{text}</{role}>"

    text = render(stored(), PATH, options=RenderOptions(width=80, style=style))
    assert "<error>  error conflicting-rows" in text
    assert re.sub(r"</?[a-z]+>", "", text) == shown(stored())


HOSTILE = "\x1b[31m\u202e::error::\udcff##[x\n\r\x9b"


def hostile(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: hostile(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [hostile(inner) for inner in value]
    return HOSTILE + value if isinstance(value, str) else value


@pytest.mark.parametrize("width", [20, 80, 10_000])
def test_no_control_character_of_the_data_reaches_the_terminal(width: int) -> None:
    document = hostile(large())
    for group, plain in zip(document["findings"], large()["findings"], strict=True):
        group["level"] = plain["level"]
    document["files"] = {HOSTILE: HOSTILE, **document["files"]}
    text = shown(stored(**document), width, every=True)
    assert all(line.isprintable() for line in text.split("\n"))
    assert not re.search(r"(?m)^\s*::|##\[", text)


@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(strategies.text(max_size=200), strategies.integers(20, 100))
def test_no_text_makes_a_line_too_long(name: str, width: int) -> None:
    files = {"rollouts": name, name: [name, name]}
    text = shown(
        stored(files=files, skipped={name: name}, means=[], tasks=[task(0, "scored", verifier_logs=name)]), width
    )
    assert max(map(columns_of, text.split("\n"))) <= width
