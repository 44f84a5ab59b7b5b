"""Names: which are impossible, lead out, collide or break elsewhere; how they are found on disk."""

from itertools import product

import pytest

from runaudit.manifests.entry import Entry
from runaudit.manifests.locating import Found, Unsafe, Unseen, locate
from runaudit.manifests.names import (
    all_portable,
    breaks_elsewhere,
    collapsed,
    collisions,
    impossible,
    leads_out,
    leads_out_elsewhere,
    shown,
)
from runaudit.manifests.patterns import excluder
from runaudit.manifests.tree_digest import tree_digest

NFC, NFD = "caf\u00e9", "cafe\u0301"


def kinds(paths: list[str], files: list[str]) -> list[object]:
    found = locate(
        [Entry(path=path, digest="a" * 64) for path in paths], [*map(collapsed, paths)], dict.fromkeys(files)
    )
    return [one.name if isinstance(one, Found) else type(one) for one in found]


def test_collapsing_drops_dots_and_doubled_slashes_and_nothing_else() -> None:
    for length in range(8):
        for path in map("".join, product("./a", repeat=length)):
            parts = [part for part in path.split("/") if part not in ("", ".")]
            whole = ("/" if path.startswith("/") else "") + "/".join(parts)
            assert collapsed(path) == (whole if "//" in path or "./" in path else path)


@pytest.mark.parametrize("path", ["/etc/passwd", "//x/y", "..", "../x", "a/../../x", "a/..", "./../x", "a//../b"])
def test_names_that_lead_out_everywhere(path: str) -> None:
    assert leads_out(collapsed(path))
    assert kinds([path], [path, collapsed(path)][:0]) == [Unsafe]


@pytest.mark.parametrize(
    "path",
    [
        "..\\x", "a\\..\\..\\x", "a/..\\x", "\\x", "\\\\host\\share", "\\\\?\\C:\\x", "C:\\x", "c:/x", "C:x", "C:",
        "~", "~/x", "~root/x", "~\\x", "file:///etc/passwd", "https://x/y", "%2e%2e/x", "..%2fx", "%2E%2E%5Cx",
        "%252e%252e%252fx", "%2fetc/passwd", ".. /x", "a/%2e%2e/%2e%2e/x",
    ],
)  # fmt: skip
def test_names_that_lead_out_in_another_spelling(path: str) -> None:
    assert leads_out_elsewhere(path)
    assert kinds([path], ["x"]) == [Unsafe]


def test_such_a_name_is_taken_when_a_file_has_exactly_it() -> None:
    assert kinds(["..\\x", "C:x", "~"], ["..\\x", "C:x", "~"]) == ["..\\x", "C:x", "~"]


@pytest.mark.parametrize("path", ["a", "a..b", "...", "..a/b", "a~", "~a", "ab:c", "100%", "%41", "a\\b", "a/.b"])
def test_names_that_stay_inside(path: str) -> None:
    assert leads_out(path) is None
    assert leads_out_elsewhere(path) is None


@pytest.mark.parametrize("path", ["", ".", "./", "a/", "a/.", "a\0b", "\ud800"])
def test_impossible_names(path: str) -> None:
    assert impossible(path)


@pytest.mark.parametrize(
    ("paths", "files", "expected"),
    [
        ([NFC], [NFD], [NFD]),
        ([NFD], [NFC], [NFC]),
        ([NFC, NFD], [NFC, NFD], [NFC, NFD]),
        ([NFC, NFD], [NFC], [NFC, Unseen]),
        ([f"d/{NFC}"], [f"d/{NFD}"], [f"d/{NFD}"]),
        (["a\\b"], ["a/b"], ["a/b"]),
        (["a\\b"], ["a\\b", "a/b"], ["a\\b"]),
        (["a\\b", "a/b"], ["a/b"], [Unseen, "a/b"]),
        ([f"a\\{NFC}"], [f"a/{NFD}"], [f"a/{NFD}"]),
        (["./a", "b//c"], ["a", "b/c"], ["a", "b/c"]),
        (["\u1e9b\u0323"], ["\u1e9b\u0323"], ["\u1e9b\u0323"]),
    ],
)
def test_exact_names_first_then_one_other_spelling(paths: list[str], files: list[str], expected: list[object]) -> None:
    assert kinds(paths, files) == expected


def test_two_candidates_of_one_form_are_none() -> None:
    three = ["\u1e69", "s\u0323\u0307", "s\u0307\u0323"]
    assert kinds([three[0]], three[1:]) == [Unseen]
    assert kinds(three[1:], three[:1]) == [Unseen, Unseen]


def test_a_name_of_another_case_is_told_but_not_taken() -> None:
    (found,) = locate([Entry(path="Readme.MD", digest="a" * 64)], ["Readme.MD"], {"README.md": None})
    assert found == Unseen("Readme.MD", "README.md")


def test_collisions() -> None:
    assert collisions(["a", "A", "b", NFC, NFD, "a"]) == [["A", "a"], sorted([NFC, NFD], key=str.encode)]
    assert collisions(["a", "b", "a"]) == []


@pytest.mark.parametrize(
    "path", ["a:b", "a\\b", "a\n", "CON", "d/nul.txt", "com1", "a.", "a /b", "\udcff", "a?", "x/aux", "a\x7f"]
)
def test_names_that_break_elsewhere(path: str) -> None:
    assert breaks_elsewhere(path)
    assert not all_portable(["fine", path, "fine"])


@pytest.mark.parametrize("path", ["a", "console", "com", "d.e/f", NFC, ".hidden", "a b"])
def test_names_that_do_not(path: str) -> None:
    assert breaks_elsewhere(path) is None


def test_names_are_shown_without_what_text_cannot_hold() -> None:
    assert shown("a\udcffb\ud800\u00e9") == "a\\xffb\\ud800\u00e9"


@pytest.mark.parametrize(
    ("patterns", "left_out", "kept"),
    [
        (["*.log"], ["a.log", "d/a.log", "x.log/y"], ["a.logs"]),
        ([".git/"], [".git", ".git/config", "d/.git/x"], [".gitignore"]),
        (["runs/*.tmp"], ["runs/a.tmp", "runs/b/c.tmp"], ["a.tmp", "x/runs/a.tmp"]),
        (["/top/x"], ["top/x", "top/x/y"], ["d/top/x"]),
    ],
)
def test_patterns(patterns: list[str], left_out: list[str], kept: list[str]) -> None:
    test = excluder(patterns)
    assert [path for path in [*left_out, *kept] if test(path)] == left_out


def test_the_tree_digest_does_not_depend_on_order() -> None:
    files = [("b", "1" * 64), ("a/x", "2" * 64), ("a.b", "3" * 64)]
    assert tree_digest(files) == tree_digest(files[::-1])
    assert tree_digest(files) != tree_digest(files[:2])
