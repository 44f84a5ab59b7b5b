"""The composite action, its steps run as GitHub runs them: expressions, environment files, workflow commands."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from tests.unit.compare.build import entry, write

ACTION = Path(__file__).parents[2] / "action.yml"
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


class Outcome(msgspec.Struct):
    """What a job sees of the action: exit code, log, outputs, step summary."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def run_action(folder: Path, **given: str) -> Outcome:
    """Runs the steps in order, each with `bash --noprofile --norc -eo pipefail`, until one fails."""
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    known = action["inputs"]
    assert set(given) <= set(known)
    values = {f"inputs.{n}": given.get(n, spec.get("default")) for n, spec in known.items()}
    values["github.action_path"] = str(ACTION.parent)
    temporary = folder / "runner"
    temporary.mkdir(exist_ok=True)
    files = {name: temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("", encoding="utf-8")
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "RUNNER_TEMP": str(temporary),
        **{name: str(file) for name, file in files.items()},
    }
    code, log = 0, ""
    for step in action["runs"]["steps"]:
        script = temporary / "step.sh"
        script.write_text(expanded(step["run"], values), encoding="utf-8")
        own = {name: expanded(value, values) for name, value in step.get("env", {}).items()}
        assert step["shell"] == "bash"
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=folder,
            env={**environment, **own},
            capture_output=True,
            text=True,
            check=False,
        )
        code, log = ran.returncode, log + ran.stdout + ran.stderr
        if code:
            break
    told = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines())
    outputs = {name: expanded(o["value"], steps(told)) for name, o in action["outputs"].items()}
    return Outcome(code, log, outputs, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8"))


def steps(told: dict[str, str]) -> dict[str, Any]:
    return {f"steps.compare.outputs.{name}": value for name, value in told.items()}


def expanded(text: str, values: dict[str, Any]) -> str:
    return _EXPRESSION.sub(lambda m: str(values[m[1]]), text)


def annotations(log: str) -> list[str]:
    """The workflow commands of the log that GitHub would obey."""
    return [line for line in log.splitlines() if line.lstrip().startswith("::")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "base", {"a": [1.0], "b": [1.0]})
    write(tmp_path / "worse", {"a": [0.0], "b": [1.0]})
    (tmp_path / "lenient.toml").write_text("[fail]\non = []\n", encoding="utf-8")
    return tmp_path


def test_pass(folder: Path) -> None:
    found = run_action(folder, baseline="base", candidate="base")
    assert (found.code, found.outputs["verdict"], found.outputs["exit-code"]) == (0, "pass", "0")
    assert json.loads(Path(found.outputs["report"]).read_text(encoding="utf-8"))["verdict"] == "pass"
    assert found.summary.startswith("## PASS ")
    assert annotations(found.log) == []


def test_fail(folder: Path) -> None:
    found = run_action(folder, baseline="base", candidate="worse\nbase\n")
    assert (found.code, found.outputs["verdict"]) == (1, "fail")
    assert "regressed: demo/a" in found.summary
    assert annotations(found.log) == ["::error title=runaudit%3A fail::worse: 1 regressed: a (fail.on regressed)"]


def test_missing_baseline(folder: Path) -> None:
    found = run_action(folder, baseline="nowhere", candidate="base")
    assert (found.code, found.outputs["verdict"]) == (3, "inconclusive")
    assert "no baseline at nowhere" in found.summary
    (told,) = annotations(found.log)
    assert told.startswith(
        "::error title=runaudit%3A inconclusive::no baseline at nowhere; make one with: runaudit diff"
    )
    allowed = run_action(folder, baseline="nowhere", candidate="base", arguments="--allow-missing-baseline --seed 3")
    assert (allowed.code, allowed.outputs["verdict"]) == (0, "pass")


def test_policy(folder: Path) -> None:
    assert run_action(folder, baseline="base", candidate="worse", policy="lenient.toml").code == 0
    wrong = run_action(folder, baseline="base", candidate="worse", policy="nowhere.toml")
    assert (wrong.code, wrong.outputs["verdict"]) == (2, "error")
    assert annotations(wrong.log) == ["::error title=runaudit diff::runaudit: policy nowhere.toml: it is not there"]


def test_nothing_to_compare(folder: Path) -> None:
    found = run_action(folder, baseline="base", candidate="nowhere")
    assert (found.code, found.outputs["verdict"]) == (3, "error")
    assert len(annotations(found.log)) == 1


def test_names_from_data_are_neither_code_nor_commands(folder: Path) -> None:
    evil = "::error::x` ```` $(touch pwned) 100%"
    write(folder / "evil", [entry(evil, 0, 1.0), entry("b", 0, 1.0)])
    found = run_action(folder, baseline="evil", candidate="base; touch pwned")
    assert found.code == 3
    found = run_action(folder, baseline="evil", candidate="worse")
    assert found.code == 1
    assert "`````" in found.summary
    assert len(annotations(found.log)) == 1
    assert "100%25" in annotations(found.log)[0]
    assert not (folder / "pwned").exists()
