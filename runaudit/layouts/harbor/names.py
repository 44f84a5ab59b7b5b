"""The names that Harbor and runaudit give to things in a job folder.

A trial's name is the shortened name of its task, two underscores and seven characters of an alphabet without
look-alikes. It says nothing of attempt, agent or model.
"""

import re

CONFIG = "config.json"
LOCK = "lock.json"
RESULT = "result.json"
JOB_LOG = "job.log"
TRIAL_LOG = "trial.log"
EXCEPTION = "exception.txt"
LEDGER = "runaudit_ledger.jsonl"
SUMMARY = "run_summary.json"
OTHER_SUMMARY = "runaudit_summary.json"
SIGNATURES = "run_output_signatures.json"
REWARD_TEXT = "reward.txt"
REWARD_JSON = "reward.json"
TEST_STDOUT = "test-stdout.txt"
TRAJECTORY = "trajectory.json"

# key in `files` -> name, for the documents that belong to the job as a whole
JOB_FILES = {"config": CONFIG, "lock": LOCK, "result": RESULT, "job_log": JOB_LOG, "ledger": LEDGER}
# one of these makes a sub-folder a trial: the result comes last, the lock first
TRIAL_MARKS = (RESULT, CONFIG, LOCK)
# what Harbor or a reader of jobs writes into a job folder beside the run's own files
OTHER_JOB_FILES = frozenset({"analysis.json", "analysis.md", "download_manifest.json"})

TRIAL_NAME = re.compile(r"[^/\s]{1,64}__[0-9A-Za-z]{7}\Z")
NAMED_IN_LOG = re.compile(r"\bTrial (?P<name>[^/\s]{1,64}__[0-9A-Za-z]{7})\b")


def evals_key(agent: str, model: str | None, source: str | None) -> str:
    """The key under which a job's result groups trials."""
    dataset = source or "adhoc"
    return f"{agent}__{model}__{dataset}" if model else f"{agent}__{dataset}"
