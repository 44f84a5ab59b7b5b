"""The formats: what is read from each, what is malformed, and that writers and parsers are inverses."""

import re
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaudit.errors import InputError
from runaudit.manifests import bag_form, json_form, sums_form
from runaudit.manifests.digest_text import sha256_hex, why_not
from runaudit.manifests.entry import Entry, Stated
from runaudit.manifests.names import impossible
from runaudit.read.values import DECODER

A = "a" * 64
B = "b" * 64

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: impossible(name) is None)
ENTRIES = st.lists(
    st.builds(Entry, path=NAMES, digest=st.sampled_from([A, B]), size=st.integers(0, 2**60)),
    unique_by=lambda entry: entry.path,
    max_size=4,
)


def bare(entry: Entry) -> tuple[str, str, int | None]:
    return entry.path, entry.digest, entry.size


def read_json(text: str) -> Any:
    return json_form.parse(DECODER.decode(text), "M")


@given(entries=ENTRIES)
def test_json_writer_and_parser_are_inverses(entries: list[Entry]) -> None:
    try:
        written = json_form.encode(entries)
    except InputError:
        assert any("\ud800" <= c <= "\udfff" for entry in entries for c in entry.path)
        return
    read = json_form.parse(msgspec.json.decode(written), "")
    assert sorted(map(bare, read.entries)) == sorted(map(bare, entries))
    assert written == json_form.encode(entries[::-1])


@given(entries=ENTRIES)
def test_sums_writer_and_parser_are_inverses(entries: list[Entry]) -> None:
    read = sums_form.parse(sums_form.encode(entries).decode("utf-8", "surrogateescape"), "")
    assert sorted((e.path, e.digest) for e in read.entries) == sorted((e.path, e.digest) for e in entries)
    assert read.malformed == ()


def test_json_keeps_keys_that_it_does_not_know() -> None:
    text = f'{{"files":[{{"path":"a","sha256":"{A}","size":1,"role":"weights"}}]}}'
    written = msgspec.json.decode(json_form.encode(read_json(text).entries))
    assert written["files"] == [{"path": "a", "sha256": A, "size": 1, "role": "weights"}]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"path": "a", "sha256": A, "size": 1}, ("a", A, 1)),
        ({"path": "a", "digest": f"SHA256:{A.upper()}", "bytes": 0}, ("a", A, 0)),
        ({"path": "a", "hash": A}, ("a", A, None)),
        ({"path": "a", "sha256": A, "hash": "0" * 40, "size": None}, ("a", A, None)),
        ({"path": "a", "sha256": A, "digest": f"sha256:{A}", "size": 3, "bytes": 3}, ("a", A, 3)),
    ],
)
def test_json_entries(record: dict[str, Any], expected: tuple[str, str, int | None]) -> None:
    assert [bare(entry) for entry in json_form.parse({"files": [record]}, "M").entries] == [expected]


@pytest.mark.parametrize(
    ("record", "word"),
    [
        ({"path": "a", "size": 3, "md5": "x"}, "keys found: 'path', 'size', 'md5'"),
        ({"sha256": A, "file": "a"}, "keys found: 'sha256', 'file'"),
        ({"path": 7, "sha256": A}, "'path' is a number"),
        ({"path": "", "sha256": A}, "name is empty"),
        ({"path": "a/", "sha256": A}, "that of a folder"),
        ({"path": "a\0b", "sha256": A}, "NUL"),
        ({"path": "\ud800", "sha256": A}, "half a character"),
        ({"path": "a", "sha256": None}, "'sha256': null"),
        ({"path": "a", "sha256": 5}, "'sha256': a number"),
        ({"path": "a", "sha256": "0" * 40}, "40 hex digits"),
        ({"path": "a", "sha256": f"md5:{A}"}, "a md5 digest"),
        ({"path": "a", "sha256": A, "digest": B}, "two digests"),
        ({"path": "a", "sha256": A, "size": True}, "'size' is true"),
        ({"path": "a", "sha256": A, "size": -1}, "a negative number"),
        ({"path": "a", "sha256": A, "size": "1"}, "'size' is text"),
        ({"path": "a", "sha256": A, "size": 1.5}, "not whole"),
        ({"path": "a", "sha256": A, "size": 1, "bytes": 2}, "two sizes"),
        ("a", "is text, expected an object"),
        ([], "is a list, expected an object"),
        (None, "is null, expected an object"),
    ],
)
def test_json_malformed_entries(record: Any, word: str) -> None:
    read = json_form.parse({"files": [record]}, "M")
    assert read.entries == ()
    assert [word in one.reason for one in read.malformed] == [True]


@pytest.mark.parametrize(
    "text",
    [
        f'{{"a":"{A}","b":"sha256:{B}"}}',
        f'{{"files":{{"a":"{A}","b":"{B}"}}}}',
        f'{{"files":{{"a":{{"sha256":"{A}"}},"b":{{"digest":"{B}"}}}}}}',
        f'[{{"path":"a","sha256":"{A}"}},{{"path":"b","sha256":"{B}"}}]',
        f'{{"files":[{{"path":"a","sha256":"{A}"}}],"files":[{{"path":"b","sha256":"{B}"}}]}}',
        f'{{"files":[{{"path":"a","sha256":"{A}"}},{{"path":"b","sha256":"{B}"}}],"files":[]}}',
    ],
)
def test_json_shapes(text: str) -> None:
    assert [(e.path, e.digest) for e in read_json(text).entries] == [("a", A), ("b", B)]


@pytest.mark.parametrize(
    "text",
    ["7", '"x"', "null", "{}", '{"files":3}', '{"files":null}', f'{{"a":"{A}","b":"note"}}', '{"entries":[]}'],
)
def test_json_of_no_known_shape(text: str) -> None:
    with pytest.raises(InputError):
        read_json(text)


def test_json_of_a_newer_version_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="version 2 is newer"):
        json_form.parse({"kind": "sha256_manifest", "version": 2, "files": []}, "M")


def test_a_key_stated_twice_in_an_entry_is_malformed_and_in_the_document_a_finding() -> None:
    text = (
        f'{{"files":[{{"path":"a","sha256":"{A}","sha256":"{B}"}}],"files":{{"b":{{"sha256":"{A}","sha256":"{B}"}}}}}}'
    )
    read = read_json(text)
    assert [(one.path, "twice" in one.reason) for one in read.malformed] == [("a", True), ("b", True)]
    assert [finding.id for finding in read.findings] == ["duplicate-key"]


def test_json_totals() -> None:
    read = json_form.parse({"files": [], "total_files": 3, "total_bytes": True, "tree_digest": "x"}, "M")
    assert read.stated == Stated(total_files=3)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (f"{A}  a.txt", "a.txt"),
        (f"{A} *a.txt", "a.txt"),
        (f"{A} a.txt", "a.txt"),
        (f"{A}\ta.txt", "a.txt"),
        (f"sha256:{A}  a.txt", "a.txt"),
        (f"{A}   a.txt", " a.txt"),
        (f"  {A}  a.txt", "a.txt"),
        (f"{A.upper()}  a.txt\r", "a.txt"),
        (rf"\{A}  a\\b\nc\rd", "a\\b\nc\rd"),
        (f"SHA256 (a) = b.txt) = {A}", "a) = b.txt"),
        (f"SHA2-256(a.txt)= {A}", "a.txt"),
        (rf"\SHA256 (a\\b) = {A}", r"a\b"),
        (f"{A}  ./a.txt", "./a.txt"),
        (f"{A}  \udcff", "\udcff"),
    ],
)
def test_sums_lines(line: str, path: str) -> None:
    read = sums_form.parse(line + "\n", "S")
    assert [(e.path, e.digest, e.line) for e in read.entries] == [(path, A, 1)]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (f"{'a' * 40}  a.txt", "40 hex digits"),
        (f"{'a' * 128}  a.txt", "128 hex digits"),
        (f"MD5 (a.txt) = {'a' * 32}", "MD5"),
        (rf"\{A}  a\tb", "backslash"),
        (rf"\{A}  a" + "\\", "backslash"),
        (f"{A}  a/", "folder"),
        ("no line of ours", "no checksum line"),
        (A, "no checksum line"),
    ],
)
def test_sums_malformed_lines(line: str, word: str) -> None:
    read = sums_form.parse(f"# comment\n\n{line}\n{B}  b\n", "S")
    assert [(one.line, word in one.reason) for one in read.malformed] == [(3, True)]
    assert [entry.path for entry in read.entries] == ["b"]


def test_text_that_is_no_list_of_checksums() -> None:
    with pytest.raises(InputError, match="line 1"):
        sums_form.parse("<html>\n<body>Not found</body>\n", "S")


def test_bag_lines() -> None:
    text = f"{A}  data/a%0Ab\r\n{A} *data/100%25\n{'a' * 40}  data/x\n{A}  outside\nrubbish here\n{A}\tdata/../../x\n"
    read = bag_form.parse(text, "manifest-sha256.txt")
    assert [(e.path, e.spellings) for e in read.entries] == [
        ("data/a\nb", ("data/a%0Ab",)),
        ("data/100%", ("data/100%25",)),
        ("data/../../x", ()),
    ]
    assert [one.line for one in read.malformed] == [3, 4, 5]


def test_a_tag_listing_may_name_files_outside_the_payload() -> None:
    assert bag_form.parse(f"{A}  bagit.txt\n", "tagmanifest-sha256.txt").malformed == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Payload-Oxum: 12.3\n", (12, 3)), ("a: b\r\npayload-oxum : 1.1\r\n", (1, 1)), ("Payload-Oxum: x\n", None)],
)
def test_oxum(text: str, expected: tuple[int, int] | None) -> None:
    assert bag_form.oxum(text) == expected


@pytest.mark.parametrize("text", [A, A.upper(), f"sha256:{A}", f"Sha256:{A}"])
def test_digest_texts(text: str) -> None:
    assert sha256_hex(text) == A


@pytest.mark.parametrize(
    ("text", "word"), [("", "no SHA-256"), ("g" * 64, "no SHA-256"), (A + "\n", "no SHA-256"), ("sha1:00", "sha1")]
)
def test_texts_that_are_no_digest(text: str, word: str) -> None:
    assert sha256_hex(text) is None
    assert word in why_not(text)


LINES = st.lists(
    st.tuples(
        st.sampled_from([A, B, A[:-1], A[:-1] + "A", A[:-1] + "g", A + "a", A[:63] + "\u0661", "", "#"]),
        st.sampled_from(["  ", " *", " ", "\t", "", "   "]),
        st.text(st.sampled_from("ab./\\\r\0 é"), max_size=3),
    ).map("".join),
    max_size=3,
)


@given(lines=LINES, end=st.sampled_from(["", "\n", "\r\n"]))
def test_lines_mean_the_same_one_by_one_and_together(lines: list[str], end: str) -> None:
    def read(text: str) -> Any:
        try:
            return sums_form.parse(text, "S")
        except InputError:
            return None

    text = "\n".join(lines) + end
    with mock.patch.object(sums_form, "_all_plain", return_value=False):
        one_by_one = read(text)
        with mock.patch.object(sums_form, "_PLAIN", re.compile(r"(?!)")):
            assert read(text) == one_by_one
    assert read(text) == one_by_one


USUAL = st.fixed_dictionaries(
    {
        "path": st.one_of(st.text(st.sampled_from("ab./\0é\ud800"), max_size=3), st.none()),
        "sha256": st.sampled_from([A, A.upper(), A[:-1], A[:-1] + "g", "g" + A[1:], A[:30] + " " + A[31:], 1]),
        "size": st.sampled_from([0, 7, -1, True, None, 1.5]),
    }
)


@given(record=USUAL)
def test_usual_objects_mean_what_the_closer_look_says(record: dict[str, Any]) -> None:
    with mock.patch.object(json_form, "_plain", return_value=None):
        looked_at = json_form.parse({"files": [record]}, "M")
    assert json_form.parse({"files": [record]}, "M") == looked_at
