"""The findings about manifests and what they list."""

from runaudit.judge.define import define
from runaudit.model.finding import Definition

DEFINITIONS: tuple[Definition, ...] = (
    define(
        "entry-different",
        "error",
        "a listed file with other content",
        "The file is there, and its SHA-256 or size is not what the manifest lists.",
        "Fetch the file again; if the change was meant, make a new manifest.",
    ),
    define(
        "entry-missing",
        "error",
        "a listed file that is not there",
        "The manifest lists the file, and nothing lies at its path.",
        "Fetch the file, or make a new manifest if it was removed on purpose.",
    ),
    define(
        "entry-unreadable",
        "error",
        "a listed file that cannot be read",
        "Something lies at the path and could not be read: no permission, no plain file, or a failing disk. Pipes, "
        "sockets and devices are never opened.",
        "Look at what lies there; read it as a user who may.",
    ),
    define(
        "entry-unsafe-path",
        "error",
        "a listed path that leaves the folder",
        "The path is absolute, leads upwards, names a drive, a home folder or an address, or passes a link that leads "
        "out of the folder. It was never opened.",
        "Do not use this manifest for downloads or copies. Ask its author for relative paths.",
    ),
    define(
        "entry-malformed",
        "error",
        "an entry that promises nothing",
        "The entry has no path, no SHA-256 (64 hex digits) or a value of another type, so nothing could be checked.",
        "Make the manifest again with SHA-256 digests.",
    ),
    define(
        "entry-conflicting",
        "error",
        "one path, different content",
        "The manifest lists one path more than once, with different digests or sizes. Neither was used.",
        "Find out which entry is meant and remove the other.",
    ),
    define(
        "entry-repeated",
        "note",
        "one path listed more than once",
        "The manifest lists one path more than once, with the same content each time.",
        "Nothing; a tool that counts entries counts too many files.",
    ),
    define(
        "entry-lfs-pointer",
        "error",
        "a Git LFS pointer instead of content",
        "The file is the small text that stands for content kept elsewhere; the content was not downloaded. A note "
        "where the manifest lists the pointer itself.",
        "Fetch the content (git lfs pull), or download without Git.",
    ),
    define(
        "entry-self",
        "note",
        "a manifest that lists itself",
        "A manifest cannot hold its own digest. The entry was not checked.",
        "Remove the entry; pass the digest of the manifest with --expect.",
    ),
    define(
        "name-normalised",
        "note",
        "found under another spelling",
        "No file has exactly the listed name; one whose name differs by spelling only (Unicode form, backslash, "
        "%-escape) was taken.",
        "Write the names as they are on disk, with slashes.",
    ),
    define(
        "name-collision",
        "note",
        "listed names that are one name elsewhere",
        "Names that differ only by case or Unicode form are one file on other systems, and one of them is lost there.",
        "Rename one of them before you publish.",
    ),
    define(
        "manifest-unreadable",
        "error",
        "a manifest that cannot be read",
        "The manifest is no JSON and no checksum list, or does not have the shape of one.",
        "Fetch it again; look at what lies there.",
    ),
    define(
        "manifest-not-expected",
        "error",
        "another manifest than the expected one",
        "The SHA-256 of the manifest is not the one given with --expect: all of its entries may have been replaced.",
        "Fetch the manifest again, or find out who changed it.",
    ),
    define(
        "manifest-total-differs",
        "note",
        "the manifest's totals do not fit its entries",
        "The manifest states a number of files or bytes, or a tree digest, that its own entries do not add up to. An "
        "error where the tree digest differs.",
        "The manifest was edited by hand, or lists a file more than once.",
    ),
    define(
        "bag-payload-differs",
        "error",
        "the bag's payload is not what its Payload-Oxum says",
        "Number or bytes of the files in data/ differ from what bag-info.txt states.",
        "The other findings name the files; fetch the bag again.",
    ),
    define(
        "cache-ignored",
        "note",
        "a cache of digests was not used",
        "The cache file is damaged, is no cache or could not be written; every file was hashed.",
        "Delete the cache file, or name another one.",
    ),
)
