"""Findings about tasks, their rows and the files of rows, whoever the producer is."""

from runaudit.judge.define import define
from runaudit.model.finding import Definition

ROWS: tuple[Definition, ...] = (
    # outcomes
    define(
        "tasks-missing",
        "warning",
        "selected tasks without any trace",
        "The run owed these tasks and repeats, and neither a result nor a failure of theirs is on disk.",
        "Resume the run, or accept the coverage that stands beside the mean. With --require-complete this is an error.",
    ),
    define(
        "tasks-failed",
        "warning",
        "tasks with failed attempts only",
        "Every recorded attempt at these tasks failed; none has a measured reward. They are not zeros.",
        "Read the failure classes in the summary (runaudit show), mend the cause and resume.",
    ),
    define(
        "tasks-unscored",
        "warning",
        "results without a usable reward",
        "A result is there, but its reward is absent, null, of another type or not finite. It enters no mean. "
        "Where no row of a server has a reward by design, this is a note.",
        "Look at the rows that are named; the environment did not report a number.",
    ),
    define(
        "tasks-masked",
        "note",
        "masked results",
        "The environment says that these rewards are no valid measurement; they enter no mean.",
        "Nothing, unless the share is surprising: then look at the failure kinds.",
    ),
    define(
        "tasks-degraded",
        "note",
        "scored, with a failure kind",
        "These rows are scored although the producer recorded a failure kind (for instance no reward file: 0.0).",
        "Compare the count with what you expect; each entry's `degraded` names the kind.",
    ),
    define(
        "nothing-ran",
        "warning",
        "nothing ran",
        "No task was selected, or not one was scored. An empty result is not a passing one.",
        "Check filters, limits and the command. --allow-empty says that this is fine.",
    ),
    # identity and duplicates
    define(
        "identity-mismatch",
        "error",
        "a row answers for another task",
        "The row stands under one task's key and carries another task's id or prompt: an old result was reused, or "
        "the input was reordered between a run and its resume.",
        "Do not use these rewards. Run the task again from a fresh start.",
    ),
    define(
        "conflicting-rows",
        "error",
        "one key, different rewards",
        "Several rows claim the same task and repeat with different rewards, and nothing says which is later.",
        "Find out which writer appended the second row; keep one.",
    ),
    define(
        "duplicate-row",
        "warning",
        "one key, several rows with one reward",
        "Several rows claim the same task and repeat and agree on the reward; it is counted once.",
        "Usually a run that was appended twice. Identical bytes are only a note.",
    ),
    define(
        "unexpected-row",
        "warning",
        "a key that was not selected",
        "A row belongs to a task and repeat that this run did not owe.",
        "Rows of an earlier run in the same file, or the wrong materialized inputs. Take signatures before each run.",
    ),
    define(
        "rows-without-index",
        "warning",
        "rows that cannot be placed",
        "The rows carry no task index, and no unique task id places them. They are counted, no task is judged by them.",
        "Use the collector's own output; a hand-made file needs _ng_task_index and _ng_rollout_index.",
    ),
    define(
        "hollow-row",
        "warning",
        "a result without output and without output tokens",
        "Nothing came back from the model for this row, while other rows of the same agent have output: its reward "
        "says little.",
        "Check the model server's log at that time; mask or rerun the row.",
    ),
    define(
        "reward-out-of-range",
        "note",
        "rewards outside 0 to 1",
        "At least one reward of this server lies outside [0, 1], so nothing says which reward passes.",
        "Give --pass-at to state the passing reward.",
    ),
    # damage inside files of rows
    define(
        "torn-last-line",
        "warning",
        "the last line is cut",
        "The writer was stopped in the middle of a row. The rows before it are whole and were read.",
        "Resume the run: the producer drops the cut line and does the task again.",
    ),
    define(
        "corrupt-line",
        "error",
        "a line that is no JSON",
        "A line inside the file cannot be parsed. Its row is lost.",
        "Restore the file from a copy, or run the tasks that are now missing again.",
    ),
    define(
        "glued-lines",
        "error",
        "several objects on one line",
        "A line break is missing between rows. The rows were read, but a writer misbehaved here.",
        "Check the neighbouring rows; two processes may have written the file at once.",
    ),
    define(
        "not-an-object",
        "error",
        "a line that is no object",
        "The line is valid JSON but no object, so it is no row.",
        "See what wrote it; the row that belongs there is lost.",
    ),
    define(
        "nul-bytes",
        "error",
        "NUL bytes in a file of text",
        "Runs of zero bytes: the machine or file system stopped before the data reached the disk.",
        "Rows after the zeros were read where they are whole; the rest is lost.",
    ),
    define(
        "nested-too-deep",
        "error",
        "JSON nested beyond the limit",
        "The line nests deeper than the parser goes; it was not read.",
        "No producer writes such rows; look at where the file comes from.",
    ),
    define(
        "wrong-type",
        "error",
        "a field of the wrong type",
        "A field that is read holds another type than it can have. It is not converted.",
        "Mend the writer: a reward is a JSON number, not text or a boolean.",
    ),
    define(
        "non-finite-reward",
        "error",
        "a reward that is not finite",
        "The row says NaN, Infinity or a number beyond the range of doubles. It is no reward and enters no mean.",
        "Mend the verifier; `recorded_reward` keeps what the row said.",
    ),
    define(
        "non-finite-elsewhere",
        "note",
        "NaN or Infinity outside the fields that are read",
        "The row holds a number that JSON does not have. Nothing that is judged depends on it.",
        "Strict readers will refuse the file; mend the writer.",
    ),
    define(
        "duplicate-key",
        "error",
        "an object states a key twice",
        "One object states a key twice, so two readers can see two values.",
        "Mend the writer. A row that states its reward twice with different values is not scored.",
    ),
    define(
        "odd-encoding",
        "note",
        "an encoding that is not plain UTF-8",
        "A byte order mark, CRLF line ends or bytes that are not UTF-8. An error where content could not be read.",
        "Keep results out of tools that re-encode text.",
    ),
    define(
        "row-too-large",
        "error",
        "a row over the size limit",
        "The row is larger than --max-row and was not parsed.",
        "Raise --max-row if the row is genuine.",
    ),
    define(
        "file-too-large",
        "error",
        "a document over the size limit",
        "The document is larger than any that a producer writes; it was not read.",
        "Look at the file.",
    ),
    define(
        "truncated-gzip",
        "error",
        "a gzip file that ends early",
        "The compressed file is cut or damaged. The rows before the cut were read.",
        "Copy the file again from its source.",
    ),
    define(
        "document-unreadable",
        "warning",
        "a document that cannot be parsed",
        "A JSON or YAML document of the run does not parse; nothing was taken from it.",
        "Restore it from a copy.",
    ),
)
