"""The findings that only NeMo Gym results folders can have."""

from runaudit.judge.define import define
from runaudit.model.finding import Definition

DEFINITIONS: tuple[Definition, ...] = (
    define(
        "aggregate-imputed",
        "note",
        "the aggregate counts tasks without a row as zero",
        "The producer can count failed or missing tasks as 0 in its aggregate. The mean there and the mean over the "
        "rows then differ by that rule alone.",
        "Quote the mean together with its n and say which of the two it is.",
    ),
    define(
        "aggregate-older",
        "note",
        "the aggregate is older than the rollouts",
        "The aggregate metrics were written before the rollouts were complete, so they are an earlier run's or an "
        "earlier state's. They are not listed.",
        "Run the aggregation again (gym eval aggregate).",
    ),
    define(
        "aggregate-without-rollouts",
        "note",
        "an aggregate without rollouts",
        "Aggregate metrics lie there, but no rollouts of this run: an earlier run left them. They are not listed.",
        "Nothing, if the run wrote no rollouts.",
    ),
    define(
        "aggregate-unreadable",
        "warning",
        "the aggregate cannot be read",
        "The aggregate metrics are this run's by age, and their content cannot be held against the rows.",
        "Run the aggregation again (gym eval aggregate).",
    ),
    define(
        "aggregate-not-checked",
        "note",
        "part of the aggregate could not be checked",
        "An entry of the aggregate does not say which rows it covers, or states keys twice, or holds no metrics.",
        "Nothing; the report says what was not compared.",
    ),
    define(
        "aggregate-failed",
        "warning",
        "the producer's aggregation failed",
        "The aggregate holds an error entry written by the producer.",
        "Read the entry; run the aggregation again.",
    ),
    define(
        "aggregate-misses-row",
        "error",
        "a row that the aggregate leaves out",
        "A row that counts is not among the rows that the aggregate was computed from.",
        "The rollouts or the aggregate changed after the aggregation. Aggregate again.",
    ),
    define(
        "aggregate-row-differs",
        "error",
        "the aggregate has another reward for a row",
        "The reward that entered the aggregate is not the one in the row.",
        "One of the two files was edited or belongs to another state of the run. Aggregate again and compare.",
    ),
    define(
        "aggregate-row-vanished",
        "error",
        "the aggregate knows a row that is gone",
        "The aggregate holds token counts, or a reward that no rule counts for a key without a row: a row existed and "
        "is gone.",
        "Restore the rollouts from a copy.",
    ),
    define(
        "aggregate-foreign-row",
        "error",
        "the aggregate counts a key that nobody owed",
        "The aggregate holds an entry for a task and repeat that is neither a row nor owed nor failed.",
        "The aggregate belongs to another run.",
    ),
    define(
        "aggregate-imputed-partly",
        "error",
        "zeros for some failed tasks but not for all of a kind",
        "The producer counts a failure class as zero as a whole or not at all; here only a part of it was counted.",
        "The aggregate or the failures were edited. Aggregate again.",
    ),
    define(
        "aggregate-masking-differs",
        "error",
        "the aggregate leaves out other masked rows than the rollouts mark",
        "A row that is marked as no valid measurement entered the aggregate, or the number of masked rows that it "
        "states is not the number in the rollouts.",
        "One of the two files was edited or belongs to another state of the run. Aggregate again and compare.",
    ),
    define(
        "aggregate-mean-differs",
        "error",
        "a mean that does not follow from the rows",
        "No rule that the producer has makes this mean of these rows.",
        "One of the two files was edited or belongs to another state of the run. Aggregate again and compare.",
    ),
    define(
        "aggregate-non-finite",
        "error",
        "a mean that is null or not finite",
        "The aggregate states a mean reward that is no number.",
        "See which reward was not finite; mend it and aggregate again.",
    ),
    define(
        "health-not-attributed",
        "note",
        "health reports that are not this run's",
        "The folder's health reports record no rollouts file, or another one than this run's. They are not listed.",
        "Run gym eval health-check on this rollouts file.",
    ),
    define(
        "health-unreadable",
        "warning",
        "a health report that cannot be read",
        "The quality summary is no valid document, so nothing says whose it is.",
        "Run gym eval health-check again.",
    ),
    define(
        "task-source-mismatch",
        "error",
        "rows of another dataset label",
        "The rows carry another dataset label than the inputs were materialized with: another run's file.",
        "Do not use these results; find the run that they belong to.",
    ),
    define(
        "task-source-mixed",
        "warning",
        "rows of several dataset labels",
        "The rows carry several dataset labels.",
        "Rows of several runs may be mixed in one file.",
    ),
    define(
        "metrics-conflict-file",
        "warning",
        "a refused preparation lies there",
        "Data preparation refused to overwrite metrics and left a _conflict file.",
        "Compare the two metrics files; remove the conflict when it is settled.",
    ),
    define(
        "shard-missing",
        "error",
        "a shard of the merged file is gone",
        "The sources list a shard that is not on disk.",
        "Copy the shard beside the merged file.",
    ),
    define(
        "shard-changed",
        "error",
        "a shard changed since the merge",
        "Size or SHA-256 of a shard differ from what the sources state.",
        "Merge again (gym eval aggregate).",
    ),
    define(
        "producer-summary-differs",
        "warning",
        "the producer's own summary says otherwise",
        "The producer wrote a run summary of its own, and something that both documents state differs.",
        "The files changed after one of the two was written; summarize again and compare.",
    ),
    define(
        "sources-unreadable",
        "warning",
        "the list of shards cannot be read",
        "The sources sidecar is there and does not say which shards were merged.",
        "Merge again (gym eval aggregate).",
    ),
    define(
        "inputs-unreadable",
        "warning",
        "owed rows that cannot be placed",
        "A row of the materialized inputs carries no task and repeat index; what it owes is unknown.",
        "Use the collector's own file.",
    ),
)
