"""The findings that only exports of self-play games can have."""

from runaudit.judge.define import define
from runaudit.model.finding import Definition

DEFINITIONS: tuple[Definition, ...] = (
    define(
        "games-count-differs",
        "error",
        "counts that do not agree",
        "A number is stated in several places (summary, list, disk, card, logs), and they do not all say the same.",
        "Find which of them is wrong; build the manifest again from the files (runaudit games manifest).",
    ),
    define(
        "games-count-missing",
        "warning",
        "the summary leaves out a number",
        "The manifest's summary does not state a number that its readers need, so it could not be compared.",
        "Build the manifest again (runaudit games manifest).",
    ),
    define(
        "games-field-missing",
        "note",
        "entries leave out a field",
        "Entries of the manifest's list do not state a field, so nothing was compared with it. A warning where it is "
        "the SHA-256: the bytes of these files were not checked.",
        "Build the manifest again (runaudit games manifest).",
    ),
    define(
        "games-file-unlisted",
        "error",
        "a file that the manifest does not list",
        "A game or a hint lies in the export and no entry of the manifest lists it.",
        "Build the manifest again, or remove the file if it does not belong to this export.",
    ),
    define(
        "games-file-missing",
        "error",
        "a listed file is not there",
        "The manifest promises a file that is not in the export under this name.",
        "Get the file from where the export was made; do not rename another one.",
    ),
    define(
        "games-file-changed",
        "error",
        "a file has other bytes",
        "The SHA-256 of a file is not the one that the manifest states for it.",
        "Get the file again; if the change was meant, build the manifest again.",
    ),
    define(
        "games-listed-twice",
        "error",
        "one file has two entries",
        "Two entries of the manifest's list are about the same file, so its counts are too high.",
        "Remove one of the entries and correct the summary.",
    ),
    define(
        "games-manifest-unreadable",
        "error",
        "the manifest cannot be read",
        "manifest.json is there and is no JSON, or no manifest of games.",
        "Get it again, or build it from the files (runaudit games manifest).",
    ),
    define(
        "games-manifest-malformed",
        "error",
        "a field of the manifest has the wrong kind",
        "A field cannot be what its name says. It counts as not stated.",
        "Correct the field, or build the manifest again.",
    ),
    define(
        "games-memory-shape",
        "warning",
        "the environment memory has an unknown shape",
        "The file is neither a list of entries nor an object that holds one, so its entries could not be counted.",
        "Nothing, if its maker stores it in another way; its hash is still compared.",
    ),
    define(
        "games-hint-missing",
        "error",
        "a game of a full snapshot without a hint",
        "Full generation snapshots have a hint for each game.",
        "Get the hint from where the export was made, or say in the card that it was never written.",
    ),
    define(
        "games-hint-unexpected",
        "warning",
        "a hint in a partial step",
        "Partial steps are captured before hints are written, so a hint there has another origin.",
        "Find out where the hint comes from.",
    ),
    define(
        "games-orphan-hint",
        "error",
        "a hint without its game",
        "The game that this hint belongs to is not in its folder.",
        "Get the game, or remove the hint.",
    ),
    define(
        "games-name-wrong",
        "error",
        "a name that contradicts its place",
        "A step, index, skill or folder in a name is not what its folder, its siblings or the manifest say.",
        "Find out whether the file was moved or renamed.",
    ),
    define(
        "games-ambiguous-name",
        "warning",
        "a file name that does not tell which game is meant",
        "Rewards are joined by file name. This name stands in several folders of the export, or of the logs.",
        "Rename one of the files, or join the rewards of this game by hand.",
    ),
    define(
        "games-rewards-differ",
        "error",
        "rewards that do not agree",
        "The rewards of a game, their number, their mean or their sources contradict one another or the logs.",
        "Mine the logs again (runaudit games manifest --logs).",
    ),
    define(
        "games-rewards-unmatched",
        "warning",
        "rewards of a game that is not here",
        "The logs have rewards for a file name that is not in the export.",
        "Nothing, if the game was left out on purpose; else the export lost a file.",
    ),
    define(
        "games-reward-non-finite",
        "warning",
        "a reward that is not finite",
        "A play was logged with nan or inf. The reward is kept as text, and the game has no mean.",
        "Look into the environment that gave it.",
    ),
    define(
        "games-log-empty",
        "warning",
        "a log without a single entry",
        "No line of the log begins an entry of rewards ([COLLECT] stats: {…}), so nothing was mined from it.",
        "Give the job's own log, as text in UTF-8; nothing, if the job had not yet collected any reward.",
    ),
    define(
        "games-log-truncated",
        "warning",
        "a log that lost a part",
        "A log begins in its middle, has exactly as many lines as are kept at most, or an entry never closes. Its "
        "counts are lower bounds.",
        "Get the whole log, from the file on the head node where the dashboard keeps only the end.",
    ),
    define(
        "games-log-repeated",
        "warning",
        "log entries that are there twice",
        "A log repeats entries of another one, which are counted once; or one log has the same entry twice, and both "
        "are counted.",
        "Leave out the log that is repeated; look why one log has an entry twice.",
    ),
    define(
        "games-log-folded",
        "warning",
        "log lines that Ray folded into one",
        "Ray shows one of several lines that differ in numbers only. The rewards of the others are lost, and counts "
        "are lower bounds.",
        "Run the job with RAY_DEDUP_LOGS=0.",
    ),
    define(
        "games-log-unreadable",
        "warning",
        "a log entry that cannot be read",
        "An entry is no plain literal: it is damaged, or holds a call or a name, which are refused. Nothing in a log "
        "is ever evaluated. Counts are lower bounds.",
        "Print plain numbers into the log (float(reward), not a NumPy scalar).",
    ),
    define(
        "games-live-differs",
        "warning",
        "the live folder is no copy of a generation",
        "The folder of live games differs from every generation of the export, so some of its games are in no list.",
        "Export the live folder as a generation of its own.",
    ),
    define(
        "games-live-claim-wrong",
        "error",
        "a claim of byte-identity that does not hold",
        "The manifest or the card says that the live folder is byte-identical to a generation, and it is not.",
        "Build the manifest again, with the live folder.",
    ),
    define(
        "games-contract-broken",
        "error",
        "a game that does not keep its contract",
        "The game cannot be loaded, returns other types than reset and step promise, raises, behaves differently "
        "under one seed, does not end within the bound, or leaves the interpreter.",
        "Repair the game, or leave it out of the export.",
    ),
    define(
        "games-limit-reached",
        "error",
        "a game that was stopped at a limit",
        "The game used more time, memory or file space than it was given, and was stopped.",
        "Repair the game; if it is sound and slow, give it more (runaudit games replay --seconds, --memory).",
    ),
    define(
        "games-side-effect",
        "error",
        "a game that reaches out of itself",
        "The game tried to write files, open sockets or start processes or threads. An environment of this kind is "
        "self-contained; what it tried was refused, or removed afterwards.",
        "Read the game before you run it anywhere else.",
    ),
)
