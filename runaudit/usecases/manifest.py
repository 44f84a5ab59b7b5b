"""`manifest verify` and `manifest create` as library functions, with the options of the commands."""

import os
from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from runaudit.errors import InputError, UsageError
from runaudit.manifests import bag_form
from runaudit.manifests.digest_text import sha256_hex
from runaudit.manifests.entry import Manifest
from runaudit.manifests.judging import of_document, of_locations, of_names, of_payload, of_results
from runaudit.manifests.names import collapsed, leads_out, leads_out_elsewhere, shown
from runaudit.manifests.patterns import excluder
from runaudit.model.finding import Finding
from runaudit.model.report import Report
from runaudit.model.trouble import Trouble
from runaudit.read.places import Places
from runaudit.read.tree import Tree, walk
from runaudit.usecases.conclude import PLAIN_TERMS, Terms
from runaudit.usecases.manifest_checking import Checked, check
from runaudit.usecases.manifest_creating import Created, create_manifest
from runaudit.usecases.manifest_hashing import Progress, read_contents
from runaudit.usecases.manifest_reading import Opened, open_manifest
from runaudit.usecases.manifest_report import Facts, report_of, report_unreadable
from runaudit.usecases.manifest_unlisted import Unlisted, unlisted_in

__all__ = ["AllowList", "Created", "allow_list", "create_manifest", "verify_manifest"]


def verify_manifest(
    manifest: str,
    root: str | None = None,
    *,
    roots: Sequence[str] = (),
    exclude: Sequence[str] = (),
    expect: str | None = None,
    strict: bool = False,
    allow_empty: bool = False,
    cache: str | None = None,
    began_ns: int | None = None,
    workers: int | None = None,
    terms: Terms = PLAIN_TERMS,
    progress: Progress | None = None,
) -> Report:
    """Checks every file that a manifest lists, and names what it does not list.

    `manifest` is a JSON manifest, a checksum list, a BagIt listing, or a folder that holds one; `root` is the folder
    that it lists, else its own. Links may lead into `roots` as well. `expect` is the SHA-256 that the manifest itself
    must have. `began_ns` is the time of the call, in nanoseconds since 1970; a `cache` needs it. `terms` say how
    findings are judged.

    Raises InputError when there is no such manifest or root, UsageError for options that cannot be meant.
    """
    expected = _expected(expect)
    opened = open_manifest(manifest, root, roots)
    if isinstance(opened.manifest, Trouble):
        return report_unreadable(opened, opened.manifest, terms)
    places = Places([opened.root, *roots])
    tree = walk(places.roots[0], excluder(exclude) if exclude else None)
    read = partial(read_contents, workers=workers, cache=cache, began_ns=began_ns, progress=progress)
    checked = check(opened.manifest, tree, places, opened.own, read)
    extra = unlisted_in(tree, opened, opened.manifest, checked, cache)
    facts = Facts(
        checked=checked,
        unlisted=extra,
        refused=tree.refused,
        findings=(
            *_findings(opened, opened.manifest, checked),
            *_findings_on_disk(opened, tree, extra, strict=strict),
            *_findings_on_anchor(opened, expected),
        ),
        anchored=expected is not None and expected == opened.anchor,
        strict=strict,
        allow_empty=allow_empty,
    )
    return report_of(opened, opened.manifest, facts, terms)


def _expected(expect: str | None) -> str | None:
    digest = None if expect is None else sha256_hex(expect)
    if expect is not None and digest is None:
        raise UsageError(f"--expect {expect!r}: expected a SHA-256, 64 hex digits")
    return digest


def _findings(opened: Opened, manifest: Manifest, checked: Checked) -> Iterable[Finding]:
    yield from of_results(checked.results)
    yield from of_locations(manifest.entries, checked.locations)
    yield from of_names(manifest.names)
    yield from of_document(manifest, shown(os.path.basename(opened.path)))
    yield from checked.contents.findings


def _findings_on_disk(opened: Opened, tree: Tree, extra: Unlisted, *, strict: bool) -> Iterable[Finding]:
    yield from extra.findings(strict=strict, bag=opened.bag)
    yield from (trouble.at(shown(path)) for path, trouble in tree.refused)
    if opened.payload is not None:
        yield from of_payload(opened.payload, _payload_on_disk(opened.root, tree), bag_form.INFO)


def _findings_on_anchor(opened: Opened, expected: str | None) -> Iterable[Finding]:
    if expected is not None and expected != opened.anchor:
        yield Finding(
            id="manifest-not-expected",
            message="the manifest is not the expected one; nothing that it says is anchored",
            path=shown(os.path.basename(opened.path)),
            expected=f"sha256:{expected}",
            found=f"sha256:{opened.anchor}",
        )


def _payload_on_disk(root: str, tree: Tree) -> tuple[int, int]:
    names = [name for name in tree.files if name.startswith(f"{bag_form.PAYLOAD}/")]
    return sum(os.lstat(os.path.join(root, name)).st_size for name in names), len(names)


class AllowList(msgspec.Struct, frozen=True):
    """The listed paths, in the manifest's order, and those that are refused, with the reason."""

    paths: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


def allow_list(manifest: str, *, expect: str | None = None) -> AllowList:
    """Exactly the paths that a manifest lists, for use as download patterns; nothing on disk is looked at but it.

    A path that leads out of a folder on any system, is not UTF-8 or holds control characters is refused. Raises
    InputError when the manifest cannot be read or is not the expected one.
    """
    expected = _expected(expect)
    opened = open_manifest(manifest)
    if isinstance(opened.manifest, Trouble):
        raise InputError(f"{manifest}: {opened.manifest.message}")
    if expected is not None and expected != opened.anchor:
        raise InputError(f"{manifest}: its SHA-256 is {opened.anchor}, not the expected one")
    paths: dict[str, None] = {}
    refused = [(shown(one.path or one.source), shown(one.reason)) for one in opened.manifest.malformed]
    for entry in opened.manifest.entries:
        if reason := _refusal(entry.path):
            refused.append((shown(entry.path), reason))
        else:
            paths[collapsed(entry.path)] = None
    return AllowList(paths=tuple(paths), refused=tuple(refused))


def _refusal(path: str) -> str | None:
    if reason := leads_out(path) or leads_out_elsewhere(path):
        return f"unsafe path: {reason}"
    if not path.isprintable():
        return "the name holds control characters or is not UTF-8"
    return None
