"""Every spelling of a NeMo Gym output and resume, one row each."""

from collections.abc import Mapping
from typing import Any

import pytest

from runaudit.layouts.nemo_gym.command_answers import Answer, Declined, NoOutput, Recognised
from runaudit.layouts.nemo_gym.command_line import read_command
from runaudit.model.trouble import Trouble

RUN = ("gym", "eval", "run")
KEY = "output_jsonl_fpath"


def read(
    *argv: str, files: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None, cwd: str = "/w"
) -> Answer:
    return read_command(argv, cwd=cwd, environment=environment or {}, read_yaml=(files or {}).get)


@pytest.mark.parametrize(
    "words",
    [
        ("--output", "r.jsonl"),
        ("--output=r.jsonl",),
        ("-o", "r.jsonl"),
        ("-or.jsonl",),
        ("-o=r.jsonl",),
        ("-vo", "r.jsonl"),
        ("--out", "r.jsonl"),
        ("--o", "r.jsonl"),
        ("--out=r.jsonl",),
        ("--output", "first.jsonl", "-o", "r.jsonl"),
        ("--output", "/w/r.jsonl"),
        ("--output", "./sub/../r.jsonl"),
        (f"+{KEY}=r.jsonl",),
        (f"++{KEY}=r.jsonl",),
        (f"+{KEY}= r.jsonl ",),
        (f'+{KEY}="r.jsonl"',),
        (f"+{KEY}='r.jsonl'",),
        ("--output", "first.jsonl", f"++{KEY}=r.jsonl"),
        (f"++{KEY}=r.jsonl", "--output", "first.jsonl"),
        (f"++{KEY}=first.jsonl", f"++{KEY}=r.jsonl"),
        (f"+{KEY}=first.jsonl", f"~{KEY}", f"+{KEY}=r.jsonl"),
        (f"+{KEY}=first.jsonl", f"{KEY}=r.jsonl"),
        ("--output", "${oc.env:WHERE}"),
        (f"+{KEY}=${{oc.env:WHERE}}",),
        (f'+{KEY}="${{oc.env:WHERE}}"',),
        (f"+{KEY}=${{oc.env:NOWHERE,r.jsonl}}",),
        (f"+{KEY}=${{oc.env:NOWHERE,'r.jsonl'}}",),
        ("-v", "--limit", "5", "--model", "m", "+other=a,b", "--output", "r.jsonl"),
        ("--unknown-flag", "--output", "r.jsonl"),
    ],
    ids=" ".join,
)
def test_a_stated_output_is_found(words: tuple[str, ...]) -> None:
    assert read(*RUN, *words, environment={"WHERE": "r.jsonl"}) == Recognised(output="/w/r.jsonl")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('"a b"', "a b"),
        ("a b", "a b"),
        ('"a=b,c"', "a=b,c"),
        ("a\\=b\\,c", "a=b,c"),
        ('"a\\"b"', 'a"b'),
        ("'it\\'s'", "it's"),
        ('"123"', "123"),
        ("007", "007"),
        ("$HOME/r", "$HOME/r"),
        ('"d/é.jsonl"', "d/é.jsonl"),
        ("a:b@c%d", "a:b@c%d"),
        ("${oc.env:D}/${oc.env:N}.jsonl", "here/n.jsonl"),
    ],
)
def test_values_are_read_as_the_configuration_library_does(text: str, path: str) -> None:
    found = read(*RUN, f"+{KEY}={text}", environment={"D": "here", "N": "n"})
    assert found == Recognised(output=f"/w/{path}")


@pytest.mark.parametrize(
    "words",
    [
        (f"{KEY}=r.jsonl",),
        (f"+{KEY}=a", f"+{KEY}=b"),
        ("--output", "a", f"+{KEY}=b"),
        (f"~{KEY}",),
        ("--output", "a", f"~{KEY}=b"),
        (f"+{KEY}=a=b",),
        (f"+{KEY}=a,b",),
        ("--output", "a=b"),
        ("--output", "a,b"),
        ("--output", "~/r.jsonl"),
        (f"+{KEY}=[a]",),
        (f"+{KEY}=123",),
        (f"+{KEY}=true",),
        (f"+{KEY}=null",),
        (f"+{KEY}=",),
        (f"+{KEY}",),
        (f"+{KEY} =a",),
        (f'+{KEY}="a"b',),
        (f'+{KEY}="a',),
        ("--output",),
        ("--re", "--output", "a"),
        ("--output", "a", "+resume_from_cache=maybe"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_what_the_producer_refuses_has_no_output(words: tuple[str, ...]) -> None:
    assert isinstance(read(*RUN, *words), NoOutput)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (RUN, "states no output"),
        ((*RUN, "--output", "a", f"~{KEY}"), "states no output"),
        ((*RUN, "--output", "${results}/r.jsonl"), "other than oc.env"),
        ((*RUN, "--output", "${oc.env:UNSET}/r.jsonl"), "UNSET"),
        ((*RUN, f'+{KEY}="${{oc.env:A,${{oc.env:B,c}}}}"'), "nested"),
        ((*RUN, "--output", "\\${oc.env:A}"), "escaped"),
        ((*RUN, "--config", "gone.yaml"), "gone.yaml"),
        ((*RUN, "+config_paths=[${x}]"), "config_paths"),
        (("gym", "eval", "submit", "--config", "s.yaml"), "Slurm"),
        (("gym", "list", "benchmarks"), "not known to write rollouts"),
        (("gym",), "not known to write rollouts"),
        (("ng_run", "+config_paths=[a.yaml]"), "not known to write rollouts"),
        (("bash", "-c", "gym eval run -o r.jsonl"), "no NeMo Gym command"),
        (("bash", "-c", 'exec "$@"', "_", *RUN, "-o", "r.jsonl"), "bash"),
        (("docker", "run", "image", *RUN, "-o", "r.jsonl"), "docker"),
        (("srun", "--container-image", "i", *RUN, "-o", "r.jsonl"), "container"),
        (("python", "train.py"), "no NeMo Gym command"),
        (("gym", "eval", "reverify", "-o", "r.jsonl", "--force"), "unsafe_"),
        ((*RUN, "harbor:hello@1.0", "--agent", "a"), "harbor:hello@1.0"),
        ((*RUN, "tasks", "--new-flag", "x"), "--new-flag"),
    ],
)
def test_what_cannot_be_told_is_declined_with_the_reason(argv: tuple[str, ...], reason: str) -> None:
    found = read(*argv)
    assert isinstance(found, Declined)
    assert reason in found.reason


@pytest.mark.parametrize(
    "argv",
    [
        ("uv", "run", *RUN),
        ("uv", "run", "--extra", "dev", *RUN),
        ("srun", "--job-name", "gym", "-n", "1", *RUN),
        ("uv", "run", "--with", "nemo_gym_extras", *RUN),
        ("env", "A=b", *RUN),
        ("env", "-u", "A", "B=c", "timeout", "60", *RUN),
        ("python", "-m", "nemo_gym.cli.main", "eval", "run"),
        ("python3", "/venv/bin/gym", "eval", "run"),
        ("/venv/bin/gym", "-v", "eval", "run"),
        ("ng", "eval", "run"),
        ("ng_collect_rollouts",),
        ("ng_e2e_collect_rollouts",),
        ("nemo_gym_collect_rollouts",),
        ("nemo_gym_e2e_collect_rollouts",),
        ("ng_aggregate_rollouts",),
        ("nemo_gym_aggregate_rollouts",),
        ("uv", "run", "/venv/bin/ng_collect_rollouts"),
        ("gym", "eval", "aggregate"),
    ],
    ids=" ".join,
)
def test_launchers_and_older_names_are_seen_through(argv: tuple[str, ...]) -> None:
    assert read(*argv, f"+{KEY}=r.jsonl") == Recognised(output="/w/r.jsonl")


@pytest.mark.parametrize(
    ("argv", "path"),
    [
        (("uv", "run", "--directory", "d", *RUN), "/w/d/r.jsonl"),
        (("uv", "run", "--directory=/d", *RUN), "/d/r.jsonl"),
        (("env", "-C", "d", "A=b", *RUN), "/w/d/r.jsonl"),
        (("env", "--chdir=d", *RUN), "/w/d/r.jsonl"),
        (("srun", "-Dd", *RUN), "/w/d/r.jsonl"),
        (("srun", "--chdir=d", *RUN), "/w/d/r.jsonl"),
        (("conda", "run", "--cwd", "d", *RUN), "/w/d/r.jsonl"),
    ],
    ids=str,
)
def test_a_launcher_may_change_the_folder(argv: tuple[str, ...], path: str) -> None:
    assert read(*argv, "-o", "r.jsonl") == Recognised(output=path)


def test_a_launcher_may_change_the_variables() -> None:
    told = ("-o", "${oc.env:A}")
    assert read("env", "A=b", *RUN, *told, environment={"A": "a"}) == Recognised(output="/w/b")
    assert isinstance(read("env", "-u", "A", *RUN, *told, environment={"A": "a"}), Declined)
    assert isinstance(read("env", "-i", *RUN, *told, environment={"A": "a"}), Declined)


@pytest.mark.parametrize(
    ("words", "resume"),
    [
        ((), False),
        (("--resume",), True),
        (("--resu",), True),
        (("+resume_from_cache=true",), True),
        (("+resume_from_cache=True",), True),
        (("++resume_from_cache=yes",), True),
        (("++resume_from_cache=1",), True),
        (("+resume_from_cache='on'",), True),
        (("+resume_from_cache=false",), False),
        (("--resume", "++resume_from_cache=false"), False),
        (("--resume", "~resume_from_cache"), False),
        (("++resume_from_cache=${oc.env:AGAIN}",), True),
        (("++resume_from_cache=${again}",), None),
        (("--config", "gone.yaml"), None),
        (("--resume", "--config", "gone.yaml"), True),
    ],
    ids=str,
)
def test_a_resume_in_every_spelling(words: tuple[str, ...], resume: bool | None) -> None:
    found = read(*RUN, "-o", "r.jsonl", *words, environment={"AGAIN": "true"})
    assert found == Recognised(output="/w/r.jsonl", resume=resume)


def test_a_resume_is_told_even_when_the_output_is_not() -> None:
    found = read(*RUN, "-o", "${x}", "--resume")
    assert isinstance(found, Declined)
    assert found.resume is True
    assert found.resume_needs_inputs


@pytest.mark.parametrize(
    ("words", "resume"),
    [((), False), (("--resume",), True), (("--judge-failed-only", "--append"), True), (("++append=${x}",), None)],
    ids=str,
)
def test_reverify_keeps_its_output_with_resume_or_append(words: tuple[str, ...], resume: bool | None) -> None:
    found = read("gym", "eval", "reverify", "-o", "r.jsonl", *words)
    assert found == Recognised(output="/w/r.jsonl", resume=resume, resume_needs_inputs=False)


FILES = {
    "/w/env.yaml": {KEY: "from_env.jsonl"},
    "/w/a.yaml": {KEY: "a.jsonl", "resume_from_cache": True},
    "/w/b.yaml": {KEY: "b.jsonl"},
    "/w/outer.yaml": {"config_paths": ["a.yaml", "b.yaml"]},
    "/w/over.yaml": {"config_paths": ["a.yaml"], KEY: "over.jsonl"},
    "/w/loop.yaml": {"config_paths": ["loop.yaml"], KEY: "loop.jsonl"},
    "/w/open.yaml": {KEY: "${oc.env:D}/o.jsonl"},
    "/w/number.yaml": {KEY: 5},
    "/w/broken.yaml": Trouble(id="document-unreadable", message="no YAML"),
    "/w/benchmarks/gsm/config.yaml": {KEY: "gsm.jsonl"},
    "/extra/e.yaml": {KEY: "e.jsonl"},
}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--config", "a.yaml"), ("a.jsonl", True)),
        (("--config", "/w/a.yaml"), ("a.jsonl", True)),
        (("+config_paths=[a.yaml]",), ("a.jsonl", True)),
        (("+config_paths=[ a.yaml , 'b.yaml' ]",), ("b.jsonl", True)),
        (("++config_paths=[b.yaml]",), ("b.jsonl", False)),
        (("--config", "a.yaml", "--config", "b.yaml"), ("b.jsonl", True)),
        (("--config", "a.yaml,b.yaml"), ("b.jsonl", True)),
        (("--config", "b.yaml", "+config_paths=[a.yaml]"), ("a.jsonl", True)),
        (("--config", "outer.yaml"), ("b.jsonl", True)),
        (("--config", "over.yaml"), ("over.jsonl", True)),
        (("--config", "loop.yaml"), ("loop.jsonl", False)),
        (("--config", "open.yaml"), ("d/o.jsonl", False)),
        (("--benchmark", "gsm"), ("gsm.jsonl", False)),
        (("--benchmark", "unknown", "--config", "b.yaml"), ("b.jsonl", False)),
        (("--search-dir", "/extra", "--config", "e.yaml"), ("e.jsonl", False)),
        (("--config", "a.yaml", "-o", "r.jsonl"), ("r.jsonl", True)),
        (("--config", "a.yaml", "++resume_from_cache=false"), ("a.jsonl", False)),
        (("--config", "a.yaml", "-o", "r.jsonl", f"~{KEY}"), ("a.jsonl", True)),
    ],
    ids=str,
)
def test_configuration_files_may_hold_both(words: tuple[str, ...], expected: tuple[str, bool]) -> None:
    files = {path: content for path, content in FILES.items() if path != "/w/env.yaml"}
    found = read(*RUN, *words, files=files, environment={"D": "d"})
    assert found == Recognised(output=f"/w/{expected[0]}", resume=expected[1])


def test_env_yaml_stands_between_the_command_line_and_the_configs() -> None:
    assert read(*RUN, files=FILES) == Recognised(output="/w/from_env.jsonl")
    assert read(*RUN, "--config", "b.yaml", files=FILES) == Recognised(output="/w/from_env.jsonl")
    assert read(*RUN, "-o", "r.jsonl", files=FILES) == Recognised(output="/w/r.jsonl")
    listing = {"/w/env.yaml": {"config_paths": ["a.yaml"]}, "/w/a.yaml": FILES["/w/a.yaml"]}
    assert read(*RUN, files=listing) == Recognised(output="/w/a.jsonl", resume=True)


def test_env_yaml_in_an_extra_root_wins() -> None:
    files = {"/x/env.yaml": {KEY: "x.jsonl"}, **FILES}
    assert read(*RUN, files=files, environment={"NEMO_GYM_EXTRA_ROOTS": "/x:/y"}) == Recognised(output="/w/x.jsonl")


def test_a_config_of_the_installed_producer_is_found() -> None:
    found = read_command(
        [*RUN, "--config", "c.yaml"],
        cwd="/w",
        environment={},
        read_yaml={"/site/c.yaml": {KEY: "c.jsonl"}}.get,
        install_roots=lambda start: ("/site",) if start.executable == "gym" else (),
    )
    assert found == Recognised(output="/w/c.jsonl")


def test_configs_that_say_nothing_usable() -> None:
    assert isinstance(read(*RUN, "--config", "number.yaml", files={**FILES, "/w/env.yaml": {}}), NoOutput)
    assert isinstance(read(*RUN, "--config", "broken.yaml", files={**FILES, "/w/env.yaml": {}}), Declined)


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("eval", "run", "data/tasks", "--agent", "hermes"), "results/harbor/tasks/rollouts.jsonl"),
        (("eval", "run", "--agent", "hermes", "--sandbox", "docker", "tasks/"), "results/harbor/tasks/rollouts.jsonl"),
        (("dataset", "validate", "data/tasks"), "results/harbor/tasks/rollouts.jsonl"),
        (("dataset", "validate", "."), "results/harbor/w/rollouts.jsonl"),
        (("eval", "run", "tasks", "--agent", "a", "-o", "r.jsonl"), "r.jsonl"),
        (("eval", "run", "tasks", "--agent", "a", f"++{KEY}=r.jsonl"), "r.jsonl"),
        (("dataset", "validate", "tasks", f"+{KEY}=r.jsonl"), "r.jsonl"),
    ],
    ids=str,
)
def test_a_folder_of_tasks_has_a_place_of_its_own(words: tuple[str, ...], output: str) -> None:
    found = read("gym", *words, files={"/w/env.yaml": {KEY: "not_asked.jsonl"}})
    assert found == Recognised(output=f"/w/{output}")
