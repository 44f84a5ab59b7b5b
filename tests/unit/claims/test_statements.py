"""The kinds of statement at their edges: what cannot be told is never said to hold."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from runaudit.usecases.claims import ClaimsOptions
from tests.unit.claims.held import checked, claim, only


@pytest.mark.parametrize(
    ("values", "answer", "says"),
    [
        ('3, { json = "none.json", at = "n" }', "cannot tell", "none.json is not there"),
        ('3, { json = "a.json", at = "m" }', "cannot tell", "there is no m (keys there: n, t, nested, two, list)"),
        ('3, { json = "a.json", at = "n" }', "holds", ""),
        ('4, { json = "a.json", at = "n" }, { json = "none.json", at = "n" }', "fails", "3, not 4"),
        ('3, { json = "a.json", at = "n" }, { json = "none.json", at = "n" }', "cannot tell", "is not there"),
        ('7, { json = "a.json", at = "/nested/a.b" }', "holds", ""),
        ('8, { json = "a.json", at = "/nested/c~1d" }', "holds", ""),
        ('1, { json = "a.json", at = "list.0" }', "holds", ""),
        ('2, { json = "a.json", at = "list", length = true }', "holds", ""),
        ('1, { json = "a.json", at = "list" }', "cannot tell", "no single value"),
        ('1, { json = "a.json", at = "list.9" }', "cannot tell", "there is no list.9"),
        ('1, { json = "a.json", at = "two" }', "cannot tell", "stated twice: 1, 2"),
        ('1, { json = "a.json", at = "t" }', "cannot tell", "is null"),
        ('1, { json = "broken.json", at = "t" }', "cannot tell", "no JSON"),
        ('1, { json = "odd.json", at = "n" }', "cannot tell", "not a finite number"),
        ('1, [{ json = "a.json", at = "text" }, 1]', "cannot tell", "there is no text"),
        ('"?", { json = "a.json", at = "n" }', "cannot tell", "left this blank"),
        ('3, { summary = "a.json", at = "n" }', "cannot tell", "is no run summary"),
        ('3, { summary = "newer.json", at = "n" }', "cannot tell", "version 9"),
        ('2, { rows = "r.jsonl", distinct = "k" }', "holds", ""),
        ('2, { rows = "r.jsonl", having = "v" }', "holds", ""),
        ('4, { rows = "r.jsonl" }', "holds", ""),
        ('2.75, { rows = "r.jsonl", total = "v", where = { k = "a" } }', "holds", ""),
        ('1, { rows = "r.jsonl", total = "v" }', "cannot tell", "v is no number"),
        ('0, { rows = "r.jsonl", where = { k = "c" } }', "holds", ""),
        ('0, { rows = "r.jsonl", where = { kk = "a" } }', "cannot tell", "no row of r.jsonl has a field kk"),
        ('0, { rows = "r.jsonl", distinct = "kk" }', "cannot tell", "no row of r.jsonl has a field kk"),
        ("3, 3", "cannot tell", "none is taken from the files"),
        ("3, 4", "fails", "4, not 3"),
        ("3, [1, 2]", "holds", ""),
        ('{ json = "a.json", at = "n" }, { json = "a.json", at = "n" }', "cannot tell", "against itself"),
        ('1, { rows = "torn.jsonl" }', "cannot tell", "torn.jsonl:2: no JSON"),
        ('1, { rows = "twice.jsonl", distinct = "k" }', "cannot tell", "stated twice"),
        ('1, { rows = "twice.jsonl", where = { k = 1 } }', "cannot tell", "stated twice"),
        ('1, { rows = "none*.jsonl" }', "cannot tell", "no file matches"),
        ('1, { rows = "folder.d" }', "cannot tell", "a folder lies where a file belongs"),
        ('2, { rows = "packed.jsonl.gz" }', "holds", ""),
        ('2, { rows = "cut.jsonl.gz" }', "cannot tell", "cut or damaged"),
        ('2, { rows = "a.json", at = "list" }', "holds", ""),
        ('2, { rows = "a.json", at = "n" }', "cannot tell", "neither a list nor an object"),
        ('4, { files = "*.jsonl" }', "fails", "3, not 4"),
        ('1, { rank = "a.json" }', "cannot tell", "no safetensors file"),
    ],
)
def test_equal(tmp_path: Path, values: str, answer: str, says: str) -> None:
    rows = b'{"k":"a","v":1.5}\n{"k":"a","v":1.25}\n\n{"k":"b","v":null}\r\n{"k":"b"}'
    packed = gzip.compress(b"{}\n{}\n", mtime=0)
    (tmp_path / "folder.d").mkdir()
    (tmp_path / "packed.jsonl.gz").write_bytes(packed)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[:-6])
    report = checked(
        tmp_path,
        claim(f"values = [{values}]"),
        a_json='{"n":3,"t":null,"nested":{"a.b":7,"c/d":8},"two":1,"two":2,"list":[1,2]}',
        broken_json="{",
        odd_json='{"n":NaN}',
        newer_json={"kind": "run_summary", "version": 9, "n": 3},
        r_jsonl=rows,
        torn_jsonl='{"a":1}\n{"a":',
        twice_jsonl='{"k":1,"k":2}\n',
    )
    entry = only(report)
    assert (entry["answer"], says in entry["why"]) == (answer, True), entry
    assert report.verdict.exit_code == {"holds": 0, "fails": 1, "cannot tell": 3}[answer]


def test_unknown_may_be_allowed_and_nothing_judged_has_not_passed(tmp_path: Path) -> None:
    body = claim('values = [3, { json = "none.json", at = "n" }]')
    assert checked(tmp_path, body, ClaimsOptions(allow_unknown=True)).verdict.exit_code == 0
    assert checked(tmp_path, "").verdict.exit_code == 3
    assert checked(tmp_path, "", ClaimsOptions(allow_empty=True)).verdict.exit_code == 0


@pytest.mark.parametrize(
    "body",
    [
        claim('values = [1, { json = "../secret.json", at = "n" }]'),
        claim('values = [1, { rows = "../secret.jsonl" }]'),
        claim('values = [1, { files = "../*.json" }]'),
        claim('values = [1, { rows = "/etc/*" }]'),
        claim('values = [1, { rank = "../secret.json" }]'),
        claim('values = [1, { summary = "../secret.json", at = "n" }]'),
        claim('values = ["x", { sha256 = "/etc/passwd" }]'),
        claim('path = "../secret.json"\nstated = "x"', "digest"),
        claim('path = ".."\nstated = "x"\nscheme = "unstated"', "digest"),
        claim('paths = ["../secret.json", "link.json"]', "identical"),
        claim('paths = ["..", "."]', "identical"),
        claim('rows = "../secret.jsonl"\nwithin = "r.jsonl"', "contained"),
        claim('json = "../secret.json"', "pairs"),
        claim('json = "list.json"', "pairs"),
        claim('json = "list.json"\nroot = "sub"', "pairs"),
        claim('tensors = "../secret.json"\nrank = 8', "adapter"),
        claim('tensors = ["../secret.json", "link.json"]', "same-tensors"),
        claim('values = [1, { json = "link.json", at = "n" }]'),
    ],
)
def test_a_path_that_leaves_the_folder_is_never_opened(
    tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.json").write_text('{"n": 1}')
    (tmp_path / "secret.jsonl").write_text("{}\n")
    folder = tmp_path / "received"
    (folder / "sub").mkdir(parents=True)
    (folder / "link.json").symlink_to("../secret.json")
    opened: list[str] = []
    real_open = os.open

    def noted(path: str, flags: int, mode: int = 0o777) -> int:
        opened.append(str(path))
        return real_open(path, flags, mode)

    monkeypatch.setattr(os, "open", noted)
    listed = {"files": [{"path": "../secret.json", "sha256": "0" * 64}]}
    report = checked(folder, body, r_jsonl="{}\n", list_json=listed)
    assert only(report)["answer"] == "cannot tell"
    assert ("outside-root", "error") in {(group.id, group.level) for group in report.findings}
    assert report.verdict.exit_code == 1
    assert not [path for path in opened if "secret" in path or "passwd" in path]


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert (
        "neither file nor folder"
        in only(checked(tmp_path, claim('values = [1, { json = "pipe.json", at = "n" }]')))["why"]
    )


def test_a_receipt_by_mapping_and_by_objects(tmp_path: Path) -> None:
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    named = {"a.txt": f"sha256:{digest.upper()}", "note": "x", "more": {"path": "b.txt", "sha256": digest}}
    report = checked(tmp_path, claim('json = "list.json"', "pairs"), list_json=named, a_txt="x", b_txt="x")
    assert (only(report)["answer"], only(report)["found"]) == ("holds", "all 2 as listed")
    report = checked(tmp_path, claim('json = "list.json"', "pairs"), b_txt="y")
    assert (only(report)["answer"], "b.txt" in only(report)["why"]) == ("fails", True)
    (tmp_path / "b.txt").unlink()
    assert "b.txt is not there" in only(checked(tmp_path, claim('json = "list.json"', "pairs")))["why"]
    doubled = f'{{"a.txt": "{digest}", "a.txt": "{"0" * 64}"}}'
    assert only(checked(tmp_path, claim('json = "list.json"', "pairs"), list_json=doubled))["answer"] == "fails"
    for empty in ("{}", '{"path": "a.txt"}', '{"path": "a.txt", "sha256": "12"}'):
        assert only(checked(tmp_path, claim('json = "list.json"', "pairs"), list_json=empty))["answer"] == "cannot tell"


def test_rows_are_contained_as_often_as_they_are_there(tmp_path: Path) -> None:
    body = claim('rows = "a.jsonl"\nwithin = "b.jsonl"', "contained")
    assert only(checked(tmp_path, body, a_jsonl="{}\n{}\n", b_jsonl="{}\n{ }\n{}"))["answer"] == "holds"
    lacking = only(checked(tmp_path, body, b_jsonl="{}\n{ }\n"))
    assert (lacking["answer"], lacking["found"]) == ("fails", "1 of 2")
    both = claim('rows = "a.jsonl"\nwithin = "b.jsonl"\nboth_ways = true', "contained")
    assert only(checked(tmp_path, both, b_jsonl="{}\n{}\n[]\n"))["answer"] == "fails"
    assert only(checked(tmp_path, body, a_jsonl="\n"))["answer"] == "cannot tell"


def test_identical_folders_by_pattern_and_count(tmp_path: Path) -> None:
    files: dict[str, Any] = {"a__x_py": "1", "a__y_txt": "2", "b__x_py": "1", "b__y_txt": "3"}
    same = claim('paths = ["a", "b"]\npattern = "*.py"\ncount = 1', "identical")
    assert only(checked(tmp_path, same, **files))["answer"] == "holds"
    assert only(checked(tmp_path, same.replace("count = 1", "count = 2")))["answer"] == "fails"
    assert only(checked(tmp_path, claim('paths = ["a", "b"]', "identical")))["answer"] == "fails"
    assert only(checked(tmp_path, claim('paths = ["a", "b"]\npattern = "*.c"', "identical")))["answer"] == "cannot tell"
    assert only(checked(tmp_path, claim('paths = ["a/x.py", "b/x.py"]', "identical")))["answer"] == "holds"
    assert only(checked(tmp_path, claim('paths = ["a/x.py", "b"]', "identical")))["answer"] == "fails"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("identical", 'paths = ["a.json", "./a.json"]'),
        ("contained", 'rows = "r.jsonl"\nwithin = "./r.jsonl"'),
        ("digest", 'path = "a.json"\nstated = { sha256 = "a.json" }'),
    ],
)
def test_what_is_held_against_itself_does_not_hold(tmp_path: Path, kind: str, body: str) -> None:
    entry = only(checked(tmp_path, claim(body, kind), a_json="{}", r_jsonl="{}\n"))
    assert (entry["answer"], "is held against itself" in entry["why"]) == ("cannot tell", True), entry


def test_a_digest_of_unstated_scheme(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/x").write_text("x")
    alone = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    body = claim(f'path = "d"\nscheme = "unstated"\nstated = "{alone}"', "digest")
    assert only(checked(tmp_path, body))["answer"] == "holds"
    other = only(checked(tmp_path, body.replace(alone, "0" * 64)))
    assert (other["answer"], "none of these gives it: tree, " in other["why"]) == ("cannot tell", True)


STAGE = '{{ name = "{0}", init = "{1}", output = "{2}"{3} }}'


def lineage(*stages: str) -> str:
    return claim(
        f'roots = ["base"]\nends_at = "c"\nfields = {{ kept = "k" }}\nstages = [{", ".join(stages)}]', "lineage"
    )


@pytest.mark.parametrize(
    ("stages", "answer", "says"),
    [
        ([("1", "base", "b", ""), ("2", "b", "c", ', kept = 8, evidence = "e.json"')], "holds", ""),
        ([("1", "base", "b", ""), ("2", "b", "c", "")], "cannot tell", "only what the claim says"),
        ([("1", "base", "c", ', run = 9, evidence = "e.json"')], "cannot tell", "only what the claim says"),
        ([("1", "base", "x", ""), ("2", "b", "c", "")], "fails", "begins at b, which no stage leaves"),
        ([("1", "c", "b", ""), ("2", "b", "c", "")], "fails", "a ring"),
        ([("1", "base", "c", ""), ("2", "base", "d", "")], "fails", "2 is no part of the chain"),
        ([("1", "base", "c", ""), ("2", "base", "c", "")], "fails", "two stages have the output c"),
        ([("1", "base", "d", "")], "fails", "no stage has the output c"),
        ([("1", "base", "c", ", kept = 9, run = 8")], "fails", "keeps step 9 of 8"),
        ([("1", "base", "c", ', kept = 9, evidence = "e.json"')], "fails", "kept: 8 (e.json), not 9"),
        ([("1", "base", "c", ', kept = 8, evidence = "e.json"')], "holds", ""),
        ([("1", "base", "c", ', kept = 8, evidence = "none.json"')], "cannot tell", "none.json is not there"),
        ([("1", "base", "c", ', data = "e.json"')], "cannot tell", "no digest is stated"),
        ([("1", "base", "c", ', data = "e.json", data_sha256 = "00"')], "fails", "data_sha256"),
    ],
)
def test_lineage(tmp_path: Path, stages: list[tuple[str, str, str, str]], answer: str, says: str) -> None:
    entry = only(checked(tmp_path, lineage(*(STAGE.format(*stage) for stage in stages)), e_json={"k": 8}))
    assert (entry["answer"], says in entry["why"]) == (answer, True), entry


SELECTION = claim(
    'rows = "r.jsonl"\nname = ["c"]\nsplit = { split = "dev" }\nrounds = [{ least = "m" }]\nwinner = "a"', "selection"
)


@pytest.mark.parametrize(
    ("rows", "answer", "says"),
    [
        ([("a", 1, "dev"), ("b", 2, "dev"), ("b", 0, "test")], "holds", ""),
        ([("a", 2, "dev"), ("b", 1, "dev")], "fails", "the rule selects b, not a"),
        ([("a", 1, "dev"), ("b", 1, "dev")], "cannot tell", "tied"),
        ([("a", 1, "dev"), ("b", "x", "dev")], "cannot tell", "m is no number"),
        ([("a", 1, "dev"), ("b", 2, None)], "holds", ""),
        ([("a", 1, "test")], "cannot tell", "no candidates"),
    ],
)
def test_selection(tmp_path: Path, rows: list[tuple[str, object, object]], answer: str, says: str) -> None:
    lines = "".join(json.dumps({"c": name, "m": value, "split": split}) + "\n" for name, value, split in rows)
    entry = only(checked(tmp_path, SELECTION, r_jsonl=lines))
    assert (entry["answer"], says in entry["why"]) == (answer, True), entry


def test_a_row_that_names_no_split_settles_nothing(tmp_path: Path) -> None:
    entry = only(checked(tmp_path, SELECTION, r_jsonl='{"c":"a","m":1,"split":"dev"}\n{"c":"b","m":0}\n'))
    assert (entry["answer"], "r.jsonl:2: there is no split" in entry["why"]) == ("cannot tell", True)


GATE = claim(
    'rows = "r.jsonl"\nname = "c"\nnominated = "a"\n'
    'thresholds = [{ metric = "m", at_least = 0.9, about = 0.05 }, { metric = "n", at_most = 1 }]',
    "gate",
)


@pytest.mark.parametrize(
    ("rows", "answer", "says"),
    [
        ([{"c": "a", "m": 0.86, "n": 1}, {"c": "b", "m": 0.84, "n": 0}], "holds", ""),
        ([{"c": "a", "m": 0.84, "n": 1}, {"c": "b", "m": 0.84, "n": 0}], "fails", "a misses m at least 0.9"),
        ([{"c": "a", "m": 0.9, "n": 1}, {"c": "b", "m": 0.9, "n": 0}], "fails", "b was rejected and passes"),
        ([{"c": "a", "m": 0.9, "n": 1}, {"c": "b", "m": 0.9}], "cannot tell", "b: there is no n"),
        ([{"c": "a", "m": 0.9, "n": 1}, {"c": "b", "m": 0.1}], "holds", ""),
        ([{"c": "a", "m": 0.9}, {"c": "b", "m": 0.1}], "cannot tell", "a: there is no n"),
        ([{"c": "a", "m": 0.9, "n": 1}], "cannot tell", "no rejected"),
        ([{"c": "b", "m": 0.1, "n": 1}], "cannot tell", "a has no rows"),
        ([{"c": "a", "m": 0.9, "n": 1}] * 2, "cannot tell", "a has 2 rows"),
    ],
)
def test_gate(tmp_path: Path, rows: list[dict[str, object]], answer: str, says: str) -> None:
    entry = only(checked(tmp_path, GATE, r_jsonl="".join(json.dumps(row) + "\n" for row in rows)))
    assert (entry["answer"], says in entry["why"]) == (answer, True), entry


def test_unchecked_sentences_and_claims_that_are_not_in_the_card(tmp_path: Path) -> None:
    card = "It has 3 heads. It has 4 layers. It is so.\n"
    body = 'card = "card.md"\n' + claim('values = [3, { json = "a.json", at = "n" }]')
    body += '[[claims]]\nid = "two"\nsentence = "It has 5 tails."\nkind = "equal"\nvalues = [3, [1, 2]]\n'
    body += '[[unchecked]]\nsentence = "It has 4 layers."\nwhy = "nobody knows"\n'
    report = checked(tmp_path, body, card_md=card, a_json={"n": 3})
    assert [one["sentence"] for one in report.body["unchecked"]] == ["It has 4 layers.", "It has 3 heads."]
    assert [group.id for group in report.findings] == ["claim-not-in-card", "claim-unchecked"]
    assert report.verdict.exit_code == 0
    (tmp_path / "card.md").unlink()
    assert checked(tmp_path, body).verdict.exit_code == 3


def test_a_file_without_lora_tensors_adapts_nothing_that_could_be_told(tmp_path: Path) -> None:
    header = b'{"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'
    tensors = len(header).to_bytes(8, "little") + header
    body = claim('tensors = "m.safetensors"\nwithout = ["out_proj"]', "adapter")
    entry = only(checked(tmp_path, body, m_safetensors=tensors))
    assert (entry["answer"], "no LoRA tensors" in entry["why"]) == ("cannot tell", True)
