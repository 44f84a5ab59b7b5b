"""A relative link may lead from one root into another, as in a download cache, and nowhere else."""

import os
from pathlib import Path

import pytest

from runaudit.read.places import Places


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("../../blobs/x", "file"),
        ("..//../blobs/x", "file"),
        ("../../blobs/../blobs/x", "outside-root"),
        ("../../secret", "outside-root"),
        ("../../blobs/../secret", "outside-root"),
        ("../../blobs/out", "outside-root"),
        ("../../blobs/none", "dangling-link"),
        ("../../../../../../../../../etc/passwd", "outside-root"),
        ("..", "folder"),
        ("../..", "outside-root"),
    ],
)
def test_where_a_relative_link_may_lead(tmp_path: Path, target: str, kind: str) -> None:
    snapshot = tmp_path / "snapshots" / "one"
    snapshot.mkdir(parents=True)
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs/x").write_text("x")
    (tmp_path / "blobs/out").symlink_to("../secret")
    (tmp_path / "secret").write_text("secret")
    os.symlink(target, snapshot / "link")
    places = Places([str(tmp_path / "snapshots"), str(tmp_path / "blobs")])
    assert places.look("one/link").kind == kind
