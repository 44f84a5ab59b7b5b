"""`docs/ci.md` says what is true: its policy parses, its names exist, its examples are valid."""

import re
from pathlib import Path

import yaml

from runaudit.cli.diff import diff
from runaudit.compare.change import CLASSES
from runaudit.compare.metric_names import METRICS
from runaudit.compare.policy_file import parse

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_policy_parses() -> None:
    (policy,) = blocks("toml")
    found = parse(policy.encode(), "docs/ci.md")
    assert found.require.repeats == 3
    assert found.quarantined(None, "flaky-1")


def test_the_workflow_uses_inputs_that_the_action_has() -> None:
    github, gitlab = (yaml.safe_load(block) for block in blocks("yaml"))
    assert set(github[0]["with"]) <= set(ACTION["inputs"])
    assert len(blocks("yaml")[0].strip().splitlines()) <= 3
    assert "runaudit diff" in " ".join(gitlab["compare-runs"]["script"])


def test_every_option_class_and_metric_that_it_names_exists() -> None:
    options = {name for parameter in diff.params for name in parameter.opts}
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) <= options
    for name in CLASSES:
        assert name.removeprefix("recovered").removeprefix("became") in PAGE
    for metric in METRICS:
        assert f"`{metric.name}`" in PAGE
