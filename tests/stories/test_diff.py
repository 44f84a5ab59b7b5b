"""`runaudit diff` on folders: exit codes, the JSON document, baselines, several candidates."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from runaudit.cli.exits import guarded
from runaudit.errors import InputError
from runaudit.testing import assert_no_regression
from runaudit.usecases.diff import diff
from tests.unit.compare.build import entry, summary, write

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "diff_report.v1.json").read_text(encoding="utf-8"))
GOOD = {"a": [1.0], "b": [1.0]}
WORSE = {"a": [0.0], "b": [1.0]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "base", GOOD)
    write(tmp_path / "worse", WORSE)
    (tmp_path / "only_metrics.toml").write_text("[fail]\non = []\n", encoding="utf-8")
    (tmp_path / "typo.toml").write_text("[fail]\nonn = []\n", encoding="utf-8")
    (tmp_path / "strict.toml").write_text("[require]\nrepeats = 3\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken_run_summary.json").write_text("{", encoding="utf-8")
    (tmp_path / "newer_run_summary.json").write_text('{"kind": "run_summary", "version": 9}', encoding="utf-8")
    write(tmp_path / "nothing", {})
    write(tmp_path / "other", {"z": [1.0]})


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("base base", 0, "PASS diff report"),
        ("base/rollouts_run_summary.json base", 0, "PASS diff report"),
        ("base worse", 1, "1 regressed: a"),
        ("base worse --exit-zero", 0, "FAIL diff report"),
        ("base worse --policy only_metrics.toml", 0, "PASS diff report"),
        ("base base --policy strict.toml", 3, "fewer than 3 repeats"),
        ("base worse --policy typo.toml", 2, "did you mean on?"),
        ("base worse --policy nowhere.toml", 2, "policy nowhere.toml"),
        ("base", 2, "CANDIDATE"),
        ("base worse --frobnicate", 2, "frobnicate"),
        ("base nowhere", 3, "nowhere: no such run"),
        ("base empty", 3, "no run was recognised there"),
        ("base broken_run_summary.json", 3, "no readable run summary"),
        ("broken_run_summary.json base", 3, "no readable run summary"),
        ("base newer_run_summary.json", 3, "summary-newer"),
        ("base typo.toml", 3, "no readable run summary"),
        ("base other", 3, "no task in common"),
        ("nothing nothing", 3, "nothing was scored"),
        ("nothing nothing --allow-empty", 0, "PASS diff report"),
        ("nowhere base", 3, "no baseline at nowhere; make one with: runaudit diff nowhere base --allow-missing"),
        ("nowhere base --allow-missing-baseline", 0, "PASS diff report"),
        ("nowhere nothing --allow-missing-baseline", 3, "INCONCLUSIVE diff report"),
        ("base base worse", 1, "worse: 1 regressed: a"),
    ],
)
def test_exit_codes(arguments: str, code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(["diff", *arguments.split()]) == code
    told = capsys.readouterr()
    assert says in " ".join((told.out + told.err).split())
    assert "internal error" not in told.err


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], int]:
    code = guarded(["diff", *arguments, "--format", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    return document, code


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["base", "base"], "pass"),
        (["base", "worse"], "fail"),
        (["base", "worse", "base"], "fail"),
        (["base", "other"], "inconclusive"),
        (["nowhere", "base"], "inconclusive"),
        (["nowhere", "base", "--allow-missing-baseline"], "pass"),
    ],
)
def test_verdict_and_exit_code_are_one_value(
    arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document, code = report(capsys, *arguments)
    assert (document["verdict"], document["exit_code"]) == (word, code)


def test_the_document_is_complete_and_names_task_agent_and_class(capsys: pytest.CaptureFixture[str]) -> None:
    document, _ = report(capsys, "base", "worse")
    assert [(t["task_id"], t["agent"], t["class"]) for t in document["tasks"]] == [
        ("a", "agent", "regressed"),
        ("b", "agent", "same"),
    ]
    assert document["tasks"][0]["baseline"] == {
        "outcomes": ["scored"],
        "rewards": [1.0],
        "mean_reward": 1.0,
        "passed": 1,
    }
    assert document["policy"] == {"source": None, "digest": None}
    assert document["candidates"][0]["rule"].startswith("one repeat a side: fails on any task regressed")


def test_the_policy_digest_stands_in_every_report(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["base", "worse"], ["nowhere", "base"], ["nowhere", "base", "--allow-missing-baseline"]):
        document, _ = report(capsys, *arguments, "--policy", "only_metrics.toml")
        assert document["policy"]["source"] == "only_metrics.toml"
        assert document["policy"]["digest"].startswith("sha256:")
        for form in ("terminal", "markdown"):
            guarded(["diff", *arguments, "--policy", "only_metrics.toml", "--format", form])
            assert document["policy"]["digest"].removeprefix("sha256:") in capsys.readouterr().out


def test_the_markdown_has_the_verdict_first_then_tasks_metrics_and_set_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "warm", WORSE, run={"request": {"temperature": 0.7}})
    assert guarded(["diff", "base", "warm", "--format", "markdown"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("## ")
    assert "fail" in lines[0].lower()
    titles = [line for line in lines if line.startswith("### ")]
    assert titles == ["### tasks", "### metrics", "### set\\-up", "### other rules"]
    assert "request.temperature: unknown -> 0.7" in lines


def test_a_regression_is_a_failure_and_a_lost_attempt_an_error_in_junit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "lost", {"a": [0.0], "b": ["failed"]})
    write(tmp_path / "more", {"a": [1.0], "b": [1.0], "c": [1.0]})
    guarded(["diff", "more", "lost", "--format", "junit"])
    suite = ET.fromstring(capsys.readouterr().out)  # noqa: S314  # our own output
    found = {case.get("name"): [part.tag for part in case] for case in suite.iter("testcase")}
    assert found["a"] == ["failure"]
    assert found["b"] == ["error"]
    assert found["c"] == ["failure"]
    guarded(["diff", "base", "worse", "--policy", "only_metrics.toml", "--format", "junit"])
    lenient = ET.fromstring(capsys.readouterr().out)  # noqa: S314  # our own output
    assert lenient.get("failures") == "0"


def test_equal_inputs_give_equal_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        guarded(["diff", "base", "worse", "--format", "json"])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_three_candidates_share_the_evidence_by_holm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = {f"t{i}": [1.0, 1.0, 1.0] for i in range(12)}
    write(tmp_path / "base3", tasks)
    for name, hit in (("one", 6), ("two", 7), ("three", 0)):
        write(tmp_path / name, {**tasks, **{f"t{i}": [0.0, 1.0, 1.0] for i in range(hit)}})
    alone, code = report(capsys, "base3", "one")
    assert (code, alone["candidates"][0]["test"]["p_value"]) == (1, 0.03125)
    together, code = report(capsys, "base3", "one", "two", "three")
    tests = {c["run"]: (c["test"]["p_value"], c["test"]["adjusted"], c["verdict"]) for c in together["candidates"]}
    assert tests == {"one": (0.03125, 0.0625, "pass"), "two": (0.015625, 0.046875, "fail"), "three": (1.0, 1.0, "pass")}
    assert code == 1
    assert len(together["tasks"]) == 36


def test_one_candidate_named_twice_keeps_two_names(capsys: pytest.CaptureFixture[str]) -> None:
    document, _ = report(capsys, "base", "worse", "worse")
    assert [c["run"] for c in document["candidates"]] == ["worse (1)", "worse (2)"]


def test_several_summaries_in_one_folder_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "base" / "second_run_summary.json").write_text("{}", encoding="utf-8")
    assert guarded(["diff", "base", "worse"]) == 3
    assert "rollouts_run_summary.json, second_run_summary.json" in capsys.readouterr().err


def test_a_producer_document_under_the_shared_name_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "rollouts_run_summary.json").write_text('{"kind": "theirs"}', encoding="utf-8")
    (tmp_path / "mixed" / "rollouts_runaudit_summary.json").write_text(json.dumps(summary(GOOD)), encoding="utf-8")
    assert diff("base", ["mixed"]).verdict.word == "pass"


def test_a_folder_without_a_summary_is_summarised_in_memory() -> None:
    told = []

    def summarise(folder: str) -> bytes:
        told.append(folder)
        return json.dumps(summary(WORSE)).encode()

    assert diff("base", ["empty"], summarise=summarise).verdict.word == "fail"
    assert told == ["empty"]
    with pytest.raises(InputError, match="empty: no run was recognised there"):
        diff("base", ["empty"])


def test_a_pipe_is_never_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import os  # noqa: PLC0415  # only here

    os.mkfifo(tmp_path / "pipe_run_summary.json")
    assert guarded(["diff", "base", "pipe_run_summary.json"]) == 3
    assert "wrong-kind" in capsys.readouterr().err


def test_control_characters_of_names_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "evil", [entry("a\x1b[2J", 0, 1.0), entry("b", 0, 1.0)])
    assert guarded(["diff", "evil", "base"]) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_the_baseline_is_updated_only_when_the_verdict_is_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "base" / "rollouts_run_summary.json"
    before = file.read_bytes()
    assert guarded(["diff", "base", "worse", "--update-baseline", str(file)]) == 1
    assert file.read_bytes() == before
    assert "the baseline was not updated: the verdict is fail" in capsys.readouterr().err
    assert guarded(["diff", "base", "worse", "--update-baseline", str(file), "--exit-zero"]) == 1
    assert file.read_bytes() == before
    assert guarded(["diff", "base", "worse", "--update-baseline", str(file), "--accept"]) == 1
    assert "it forgets that a passed 1 of 1: now 0 of 1" in capsys.readouterr().err
    assert file.read_bytes() == (tmp_path / "worse" / "rollouts_run_summary.json").read_bytes()
    assert guarded(["diff", "base", "worse"]) == 0


def test_the_printed_line_makes_the_first_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    missing, _ = report(capsys, "baselines", "worse")
    line = missing["reasons"][0].partition("make one with: runaudit ")[2]
    assert guarded(line.split()) == 0
    assert guarded(["diff", "baselines", "worse"]) == 0
    assert guarded(["diff", "baselines", "base"]) == 0
    assert guarded(["diff", "base", "baselines"]) == 1


def test_a_baseline_that_was_not_compared_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "precious.json").write_text("mine", encoding="utf-8")
    candidate = "worse/rollouts_run_summary.json"
    for arguments in (
        ["base", "base", "--update-baseline", "precious.json"],
        ["base", "worse", "--accept", "--update-baseline", candidate],
        ["base", "base", "base", "--update-baseline", "new.json"],
        ["base", "base", "--update-baseline", "empty"],
    ):
        assert guarded(["diff", *arguments]) == 2
        assert "--update-baseline" in capsys.readouterr().err
    assert (tmp_path / "precious.json").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "new.json").exists()


def test_the_helper_for_test_suites() -> None:
    assert assert_no_regression("base", "base").verdict.word == "pass"
    assert assert_no_regression("base", "worse", policy="only_metrics.toml").verdict.word == "pass"
    with pytest.raises(AssertionError, match="regressed: demo/a") as failed:
        assert_no_regression("base", "worse")
    assert "runaudit: fail" in str(failed.value)
    with pytest.raises(AssertionError, match="inconclusive"):
        assert_no_regression("base", "other")


@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "junit", "github"])
def test_findings_that_the_policy_counts_are_in_every_format(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = {"id": "corrupt-line", "level": "error", "title": "a line that does not parse", "count": 2}
    write(tmp_path / "broken", GOOD, findings=[finding])
    (tmp_path / "findings.toml").write_text("[findings]\nfail_level = 'error'\n", encoding="utf-8")
    assert guarded(["diff", "base", "broken", "--format", form]) == 0
    capsys.readouterr()
    assert guarded(["diff", "base", "broken", "--policy", "findings.toml", "--format", form]) == 1
    assert "corrupt-line" in capsys.readouterr().out.replace("\\", "")
