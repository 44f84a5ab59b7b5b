"""The registry of findings: every id is defined once, emitted somewhere, explained, and has its page."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.make_finding_pages import FOLDER, pages, write
from runaudit.cli.exits import guarded
from runaudit.usecases.explain import groups
from runaudit.usecases.registry import definitions

PACKAGE = Path(__file__).parents[2] / "runaudit"
DEFINED_IN = {"files_registry.py", "rows_registry.py", "findings.py"}
_EMITTERS = {"Finding", "Trouble"}


def trees() -> Iterator[ast.Module]:
    for path in PACKAGE.rglob("*.py"):
        if path.name not in DEFINED_IN:
            yield ast.parse(path.read_text(encoding="utf-8"))


def texts() -> set[str]:
    nodes = (node for tree in trees() for node in ast.walk(tree))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_every_finding_is_emitted_somewhere() -> None:
    said = texts()
    spoken = {name for text in said for name in re.findall(r"([a-z][a-z-]+): ", text)}
    silent = set(definitions()) - said - spoken
    assert not silent, f"defined and never emitted: {sorted(silent)}"


def test_every_finding_that_is_emitted_is_defined() -> None:
    calls = (node for tree in trees() for node in ast.walk(tree) if isinstance(node, ast.Call))
    emitted = {
        keyword.value.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in _EMITTERS
        for keyword in call.keywords
        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant)
    }
    assert emitted
    assert emitted <= set(definitions())


def test_the_groups_hold_every_finding_once() -> None:
    listed = [member.id for group in groups() for member in group.members]
    assert sorted(listed) == sorted(definitions())


@pytest.mark.parametrize("name", sorted(definitions()))
def test_a_finding_says_what_it_means_and_what_to_do(name: str) -> None:
    found = definitions()[name]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert found.title
    assert not found.title.endswith(".")
    assert all(text.endswith((".", "?")) for text in (found.meaning, found.remedy))


def test_the_pages_are_what_the_registry_says() -> None:
    made = dict(pages())
    lying = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    hint = "run python docs/make_finding_pages.py"
    assert sorted(lying) == sorted(made), hint
    assert [name for name in made if lying[name] != made[name]] == [], hint


def test_writing_removes_the_page_of_a_finding_that_is_no_more(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("", encoding="utf-8")
    write(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(dict(pages()))


def test_explain_prints_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(["explain", "outside-root"]) == 0
    text = capfd.readouterr().out
    found = definitions()["outside-root"]
    assert text.startswith("outside-root: a path that leaves the folder\n  warning, in verify error\n")
    assert " ".join(text.split()).endswith(f"What it means {found.meaning} What to do {found.remedy}")
    assert max(map(len, text.splitlines())) <= 80


def test_explain_lists_all(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(["explain"]) == 0
    text = capfd.readouterr().out
    assert [name for name in definitions() if f"  {name} " not in text] == []
    assert re.search(r"signatures-reused +stops +signatures", text)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "hint"),
    [("reward-mismtch", "did you mean 'reward-mismatch'?"), ("zzz", "runaudit explain lists them all")],
)
def test_an_unknown_finding_is_wrong_usage(name: str, hint: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(["explain", name]) == 2
    streams = capfd.readouterr()
    assert hint in streams.err
    assert streams.out == ""
