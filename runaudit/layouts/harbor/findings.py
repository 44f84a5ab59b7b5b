"""The findings that only Harbor job folders can have."""

from runaudit.judge.define import define
from runaudit.model.finding import Definition

DEFINITIONS: tuple[Definition, ...] = (
    define(
        "attempt-vanished",
        "error",
        "an attempt that was recorded is gone",
        "The ledger recorded this attempt with its reward; its trial is no longer in the folder. The headline "
        "does not contain it.",
        "Ask who removed it and why; restore it, or report the score together with the old reward.",
    ),
    define(
        "attempt-replaced",
        "error",
        "an attempt that was recorded has another in its place",
        "The ledger recorded one attempt under this trial's name; the folder holds another one.",
        "Report both rewards, or say why the first attempt does not count.",
    ),
    define(
        "result-edited",
        "error",
        "a result changed after it was recorded",
        "The result or a reward file of the trial is not what the ledger recorded for the same attempt.",
        "Use neither value before you know who changed it. Harbor itself does not rewrite results.",
    ),
    define(
        "attempts-retried",
        "note",
        "failed attempts that ran again",
        "Harbor ran failed attempts again and removed the first ones; their tokens and cost are in no total.",
        "With the plugin the ledger keeps what they took.",
    ),
    define(
        "ledger-damaged",
        "warning",
        "lines of the ledger that cannot be read",
        "What these lines recorded cannot be held against the folder.",
        "The ledger is only ever appended to: see who wrote to it.",
    ),
    define(
        "later-trials",
        "note",
        "consistent with trials run again later",
        "Start times, the planned order or job.log show that trials ran after others had ended. A resume after an "
        "interruption leaves the same traces.",
        "Ask for the reason. The plugin's ledger would state it as fact.",
    ),
    define(
        "mixed-task-digest",
        "error",
        "trials of one task ran different tasks",
        "The lock files of these trials record different digests for one task: its files changed within the job.",
        "Do not average over them; run the task again with one version.",
    ),
    define(
        "lock-differs",
        "error",
        "a trial ran another task than was promised",
        "The digest that the trial records for its task is not the one in the job's lock.",
        "The lock was rebuilt, or the trial is from another job.",
    ),
    define(
        "task-digest-differs",
        "error",
        "the task at hand is not the one that ran",
        "The digest recomputed from the task's folder is not the one that the trials record.",
        "Use the version of the task that ran, or run again.",
    ),
    define(
        "task-checksum-differs",
        "warning",
        "trials of one task state different checksums",
        "The checksum covers every file in the task's folder, stray ones included, so this is weak evidence. No digest "
        "was recorded that would settle it.",
        "Compare the tasks themselves.",
    ),
    define(
        "duplicate-trial",
        "error",
        "two folders hold one trial",
        "Two trial folders state the same id: one is a copy. It is counted once.",
        "Remove the copy; readers that list folders count it twice.",
    ),
    define(
        "trial-name-differs",
        "warning",
        "a folder with another name than its trial",
        "The trial in the folder states another name than the folder's.",
        "It was renamed, copied or moved in from another job.",
    ),
    define(
        "trial-of-other-job",
        "warning",
        "a trial that names another job",
        "The trial's configuration names a job by an id that is not the one of the job's result. Consistent with a "
        "trial brought in from another job, or with a job's result that was lost and written anew.",
        "Ask where the trial ran.",
    ),
    define(
        "settings-differ",
        "error",
        "documents of one trial contradict one another",
        "Harbor writes a trial's settings, task and exception several times, always the same. Here they differ.",
        "One of the documents was changed, or belongs to another trial.",
    ),
    define(
        "trial-unfinished",
        "warning",
        "trials without a result",
        "The folder of the trial is there, its result.json is not: it was running, or it was killed.",
        "Resume the job; Harbor removes such folders and runs the trials again.",
    ),
    define(
        "trial-unreadable",
        "error",
        "a trial whose result cannot be read",
        "The result.json of the trial is cut or damaged. Its reward is lost; Harbor runs a replacement and leaves this "
        "folder behind.",
        "Restore it from a copy.",
    ),
    define(
        "trial-superseded",
        "note",
        "a folder in whose place another trial ran",
        "The folder has no usable result and is more than the plan has room for; it is no entry.",
        "Remove it when it is understood.",
    ),
    define(
        "job-unfinished",
        "warning",
        "the job has not come to its end",
        "The job's result has no end time: it is running, or it was stopped. Its numbers are so far.",
        "Wait, or resume the job.",
    ),
    define(
        "job-result-unreadable",
        "error",
        "the job's result cannot be read",
        "The result.json of the job is cut or damaged; headline, counts and totals cannot be checked. The trials were "
        "read.",
        "Restore it, or resume the job: Harbor writes it anew.",
    ),
    define(
        "headline-differs",
        "error",
        "a headline that the trials do not give",
        "By no rule that Harbor has do the trials in the folder give the mean or pass@k that the job's result states.",
        "Trials or result were changed after the job. Find the trial that differs first.",
    ),
    define(
        "headline-other-rule",
        "warning",
        "a headline by another version's rule",
        "The stated numbers follow from the trials, by the scoring rule of other versions than the one that the lock "
        "names.",
        "The job was resumed or rescored with another version; say which rule the number follows.",
    ),
    define(
        "scoring-rules-differ",
        "note",
        "two scoring rules, two headlines",
        "Trials without a valid reward count as 0 up to Harbor 0.25 and are left out from 0.26. The outcomes are the "
        "same, the means are not.",
        "Quote the mean with its rule and n; compare jobs by one rule only.",
    ),
    define(
        "counts-differ",
        "error",
        "counts that the folder does not give",
        "The job's result or its plan counts other trials than lie in the folder.",
        "Trials were removed, added or renamed after the job.",
    ),
    define(
        "totals-differ",
        "error",
        "tokens or cost that do not add up",
        "The job's totals are not the sum over its trials.",
        "Trials or result were changed after the job.",
    ),
    define(
        "departure-from-defaults",
        "note",
        "settings that bear on comparing scores",
        "Timeouts, resources, verifier, instructions, a subset of tasks or an error policy are not Harbor's defaults.",
        "State them beside the score; compare only with jobs that share them.",
    ),
    define(
        "reward-file-missing",
        "warning",
        "a reward that no verifier's file carries",
        "The trial has a reward and other trials have reward files; this one has none.",
        "Find out what removed it: nothing supports this reward.",
    ),
    define(
        "evidence-not-kept",
        "note",
        "parts of the job were not kept",
        "Documents that Harbor writes are not in the folder, as in submissions to leaderboards. What depends on them "
        "was not checked.",
        "Ask for the whole job folder where it matters.",
    ),
    define(
        "not-written-by-harbor",
        "note",
        "results of Harbor's shape by another writer",
        "Fields that every Harbor version writes are null or absent: another program wrote or converted these results.",
        "Ask for the original results.",
    ),
    define(
        "older-writer",
        "note",
        "an old version wrote this job",
        "Rules that depend on the version cover Harbor 0.6 and newer. Older jobs are read as far as they go.",
        "Nothing.",
    ),
    define(
        "mixed-roots",
        "note",
        "trials recorded below several folders",
        "Recorded places are never followed; that they differ says that the job was moved or copied and went on.",
        "Nothing, if the move is known.",
    ),
)
