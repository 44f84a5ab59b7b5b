"""Links in the middle of paths: those that stay inside are followed, those that loop, dangle or leave are named."""

import os
import shutil
from pathlib import Path

import pytest

from tests.builders import Run
from tests.stories.whole_run import audit, copied, write_run


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that every test links a copy of."""
    return write_run(tmp_path_factory.mktemp("whole"))


def linked(whole: Run, scratch: Path, name: str, target: str) -> Path:
    """A copy in which a folder lies outside and a link took its place; `{out}` and `{up}` lead to where it lies."""
    copy, outside = copied(whole, scratch / "copy").folder, scratch / "outside"
    shutil.move(copy / name, outside)
    up = os.path.relpath(outside, (copy / name).parent)
    (copy / name).symlink_to(target.format(out=outside, up=up, here=copy))
    return copy


LEAVING = [
    "{out}",
    "{up}",
    "./{up}",
    "{up}/.",
    "{up}//",
    "{here}/../outside",
    "../copy/{up}",
    "/dev/fd",
    "/proc/self/cwd",
]
LOOPING = ["verifier", "./verifier", "{here}/verifier", "verifier/..", "verifier/task0"]
DANGLING = ["nowhere", "./nowhere/there", "{here}/nowhere", "tasks.jsonl/verifier"]


@pytest.mark.parametrize(
    ("target", "finding"),
    [
        *((target, "outside-root") for target in LEAVING),
        *((target, "link-loop") for target in LOOPING),
        *((target, "dangling-link") for target in DANGLING),
    ],
)
def test_a_link_in_the_middle_of_a_path_is_named_once_for_each_task(
    whole: Run, tmp_path: Path, target: str, finding: str
) -> None:
    found = audit(linked(whole, tmp_path, "verifier", target))
    assert found.code == 1
    assert found.ids("error") == {finding: 3}
    assert [place["path"] for place in found.places(finding)] == [f"verifier/task{task}" for task in range(3)]


@pytest.mark.parametrize("name", ["verifier/task0", "verifier/task0/artifacts", "rollouts/preprocessed_datasets"])
def test_a_link_out_of_the_folder_is_named_wherever_it_stands(whole: Run, tmp_path: Path, name: str) -> None:
    found = audit(linked(whole, tmp_path, name, "{out}"))
    assert found.code == 1
    assert "outside-root" in found.ids("error")
    assert all(place["path"].startswith(name) for place in found.places("outside-root"))


@pytest.mark.parametrize("target", ["kept", "./kept/.", "kept/../kept", "second/../second", "{here}/kept"])
def test_a_link_inside_the_folder_is_followed(whole: Run, tmp_path: Path, target: str) -> None:
    copy = copied(whole, tmp_path / "copy").folder
    (copy / "verifier").rename(copy / "kept")
    (copy / "second").symlink_to("kept")
    (copy / "verifier").symlink_to(target.format(here=copy))
    found = audit(copy)
    assert (found.code, found.ids("error")) == (0, {})


def test_two_links_that_lead_to_one_another_end(whole: Run, tmp_path: Path) -> None:
    copy = copied(whole, tmp_path / "copy").folder
    logs = copy / "verifier"
    (logs / "task0").rename(logs / "kept")
    (logs / "task0").symlink_to("other/.")
    (logs / "other").symlink_to("../verifier/task0")
    found = audit(copy)
    assert (found.code, found.ids("error")) == (1, {"link-loop": 1})


def test_a_root_makes_the_other_place_part_of_the_audit(whole: Run, tmp_path: Path) -> None:
    copy = linked(whole, tmp_path, "verifier", "{out}")
    found = audit(copy, "--root", tmp_path / "outside")
    assert (found.code, found.ids("error")) == (0, {})
    (tmp_path / "outside/task0/test-stdout.txt").write_text("other")
    found = audit(copy, "--root", tmp_path / "outside")
    assert (found.code, found.ids("error")) == (1, {"file-changed": 1})


def test_the_audited_folder_itself_may_be_named_through_a_link(whole: Run, tmp_path: Path) -> None:
    copied(whole, tmp_path / "copy")
    (tmp_path / "link").symlink_to("copy")
    assert audit(tmp_path / "link").code == 0
    assert audit(tmp_path / "link" / ".." / "copy" / "rollouts_run_summary.json").code == 0
