"""One YAML document, or why there is none."""

import os
from pathlib import Path

from runaudit.model.trouble import Trouble
from runaudit.read.settings import LARGEST_SETTINGS, read_settings


def test_a_document_an_empty_one_and_none(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("key: [1, two]\n")
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    assert read_settings(str(tmp_path / "a.yaml")) == {"key": [1, "two"]}
    assert read_settings(str(tmp_path / "empty.yaml")) == {}
    assert read_settings(str(tmp_path / "none.yaml")) is None
    assert read_settings(str(tmp_path / "no" / "folder.yaml")) is None


def test_trouble_is_a_value(tmp_path: Path) -> None:
    for name, content in {
        "broken.yaml": b"a: [",
        "object.yaml": b"!!python/object/apply:os.getcwd []",
        "bytes.yaml": b"a: \xff\xfe",
        "deep.yaml": b"[" * 100_000,
        "date.yaml": b"a: 2020-99-99",
    }.items():
        (tmp_path / name).write_bytes(content)
        assert isinstance(read_settings(str(tmp_path / name)), Trouble), name
    assert isinstance(read_settings(str(tmp_path)), Trouble)
    (tmp_path / "large.yaml").write_bytes(b"a" * (LARGEST_SETTINGS + 1))
    assert isinstance(read_settings(str(tmp_path / "large.yaml")), Trouble)


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert isinstance(read_settings(str(tmp_path / "pipe.yaml")), Trouble)
