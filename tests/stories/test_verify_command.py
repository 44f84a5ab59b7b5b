"""`runaudit verify` as it is called: several folders, every option, every format, and the gate for one run."""

import json
import os
import shutil
from io import BytesIO
from pathlib import Path

import jsonschema
import pytest
import xmlschema
from markdown_it import MarkdownIt

from runaudit.render.escaping import printable
from tests.builders import Run, native_input, row
from tests.stories.damage import rewritten
from tests.stories.summaries import command, stored
from tests.stories.whole_run import audit, copied, write_run

THIRD_PARTY = Path(__file__).parents[1] / "third_party"
HOSTILE = "a\n::error::b|<script>`x`\x1b[31m\u202ered.txt"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that every test audits a copy of."""
    return write_run(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def copy(whole: Run, tmp_path: Path) -> Run:
    """A sound copy of the run."""
    return copied(whole, tmp_path / "copy")


@pytest.fixture
def damaged(whole: Run, tmp_path: Path) -> Run:
    """A copy in which one verifier output was changed."""
    run = copied(whole, tmp_path / "damaged")
    rewritten(run.folder / "verifier/task0/test-stdout.txt", b"done", b"else")
    return run


def test_several_folders_give_one_line_each_and_the_worst_code(
    copy: Run, damaged: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [copy.folder, damaged.folder, tmp_path / "nowhere"]
    found = audit(*words)
    folders = found.report["folders"]
    assert [(each["folder"], each["exit_code"]) for each in folders] == [
        (str(word), code) for word, code in zip(words, (0, 1, 3), strict=True)
    ]
    assert found.code == 1
    assert {place["path"] for place in found.places("file-changed")} == {
        f"{damaged.folder}/verifier/task0/test-stdout.txt"
    }
    assert command("verify", *words) == 1
    printed = capsys.readouterr().out
    assert [sum(line.strip().startswith(f"{word}: ") for line in printed.splitlines()) for word in words] == [1, 1, 1]
    assert audit(copy.folder, tmp_path / "nowhere").code == 3
    assert audit(copy.folder, copy.folder).code == 0


def test_a_place_without_anything_could_not_be_audited(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    assert audit(tmp_path / "empty").code == 3
    assert audit(tmp_path / "nowhere").code == 3


@pytest.mark.parametrize("name", ["rollouts_run_summary.json", "rollouts.jsonl"])
def test_a_single_file_names_its_run(copy: Run, damaged: Run, name: str) -> None:
    assert audit(copy.folder / name).code == 0
    found = audit(damaged.folder / name)
    assert (found.code, found.ids("error")) == (1, {"file-changed": 1})


def test_a_folder_with_several_stems_is_audited_run_by_run(run: Run) -> None:
    other = Run(run.folder, "second")
    for each in (run, other):
        each.scored(1.0, 0.0)
        assert command("summarize", each.rollouts) == 0
    assert audit(run.folder).code == 0
    rewritten(other.rollouts, b'"reward":1.0', b'"reward":0.9')
    found = audit(run.folder)
    assert found.code == 1
    assert [each["run"] for each in found.report["folders"][0]["runs"]] == ["rollouts.jsonl", "second.jsonl"]
    assert {place["path"] for place in found.places("file-changed")} == {"second.jsonl"}


def test_strict_makes_unlisted_files_errors(copy: Run) -> None:
    copy.put("notes.txt", "mine")
    copy.put("more/a.txt", "")
    copy.put("more/b.txt", "")
    loose, strict = audit(copy.folder), audit(copy.folder, "--strict")
    assert (loose.code, loose.ids("note")["unlisted-file"]) == (0, 2)
    assert (strict.code, strict.ids("error")) == (1, {"unlisted-file": 2})
    assert [place["path"] for place in strict.places("unlisted-file")] == ["more/", "notes.txt"]


def test_require_complete_makes_failed_tasks_errors(copy: Run) -> None:
    assert audit(copy.folder, "--require-complete").ids("error") == {"tasks-failed": 1}
    assert audit(copy.folder, "--require-complete").code == 1


def test_a_run_in_which_nothing_ran_has_not_passed(run: Run) -> None:
    run.inputs(native_input(0))
    run.results()
    assert command("summarize", run.rollouts) == 0
    assert audit(run.folder).code == 3
    assert audit(run.folder, "--allow-empty").code == 0


def test_every_place_is_listed_when_asked_for(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run.inputs(*(native_input(task) for task in range(30)))
    run.results(row(0))
    assert command("verify", run.folder) == 0
    short = capsys.readouterr().out
    assert command("verify", run.folder, "--all") == 0
    whole = capsys.readouterr().out
    assert (short.count("no trace of it"), whole.count("no trace of it")) == (20, 29)


@pytest.mark.parametrize("name", ["terminal", "json", "markdown", "junit", "github", "sarif"])
def test_every_format_carries_hostile_names(
    damaged: Run, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (damaged.folder / HOSTILE).write_text("x")
    (damaged.folder / os.fsdecode(b"bad-\xff.txt")).write_text("x")
    assert command("verify", damaged.folder, "--strict", "--format", name) == 1
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\n::error::b" not in printed
    if name == "sarif":
        schema = json.loads((THIRD_PARTY / "sarif-2.1.0-rtm.4.json").read_bytes())
        jsonschema.validate(json.loads(printed), schema)
    elif name == "junit":
        xmlschema.XMLSchema(str(THIRD_PARTY / "junit-10.xsd")).validate(BytesIO(printed.encode()))
    elif name == "json":
        assert HOSTILE in [place.get("path") for group in json.loads(printed)["findings"] for place in group["places"]]
    else:
        assert "file-changed" in printed
        assert name != "markdown" or "<script" not in MarkdownIt().render(printed)
    assert printable(HOSTILE) != HOSTILE


def policy(tmp_path: Path, text: str) -> Path:
    """A policy file beside the folders."""
    path = tmp_path / "gate.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("[require]\ncoverage = 0.75\n", 0, ""),
        ("[require]\ncoverage = 0.8\n", 3, "coverage 0.75"),
        ("[require]\nrepeats = 1\n", 0, ""),
        ("[require]\nrepeats = 2\n", 3, "fewer than 2 repeats"),
        ("[metrics.mean_reward]\nmin = 0.5\n", 0, ""),
        ("[metrics.mean_reward]\nmin = 0.51\n", 1, "mean_reward"),
        ("[metrics.mean_reward]\nmax = 0.4\n", 1, "mean_reward"),
        ('[findings]\nfail_level = "error"\n', 0, ""),
        ('[findings]\nfail_level = "warning"\n', 1, "tasks-failed"),
        ("[metrics.mean_reward]\nmax_drop = 0.0\n", 0, ""),
    ],
)
def test_a_policy_gates_one_run(copy: Run, tmp_path: Path, text: str, code: int, told: str) -> None:
    found = audit(copy.folder, "--policy", policy(tmp_path, text))
    assert found.code == code
    assert told in " ".join(found.report["reasons"])
    assert found.report["policy"]["digest"].startswith("sha256:")
    assert found.report["folders"][0]["runs"][0]["rulings"]


def test_a_policy_judges_the_evidence_and_not_the_summary(copy: Run, tmp_path: Path) -> None:
    document = stored(copy.summary)
    document["counts"]["mean_reward"]["value"] = 0.9
    copy.summary.write_text(json.dumps(document))
    found = audit(copy.folder, "--policy", policy(tmp_path, "[metrics.mean_reward]\nmin = 0.8\n"))
    assert found.code == 1
    assert any("mean_reward" in reason for reason in found.report["reasons"])


@pytest.mark.parametrize("text", ["[requires]\ncoverage = 1\n", "no toml", "[metrics.mean_reward]\nmin = 'x'\n"])
def test_a_policy_that_does_not_parse_is_wrong_usage(copy: Run, tmp_path: Path, text: str) -> None:
    assert audit(copy.folder, "--policy", policy(tmp_path, text)).code == 2


def test_a_policy_inside_the_audited_folder_is_refused(copy: Run) -> None:
    inside = policy(copy.folder, "[require]\ncoverage = 0.1\n")
    found = audit(copy.folder, "--policy", inside)
    assert (found.code, "lies inside the folder" in found.complaint) == (2, True)


def test_an_empty_run_passes_no_gate(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    run = Run(folder)
    run.inputs(native_input(0))
    run.results()
    gate = policy(tmp_path, "[metrics.mean_reward]\nmin = 0.0\n")
    assert audit(folder, "--policy", gate).code == 3
    shutil.rmtree(folder)
