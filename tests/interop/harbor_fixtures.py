"""Writes the real jobs of `fixtures/jobs` anew: `python -m tests.interop.harbor_fixtures`.

Harbor itself runs our own tasks once, by 0.25.0 and by 0.26.0. Afterwards the folder on the machine that ran them is
taken out of every document, and tracebacks, which quote Harbor's own source, are cut to their last line.
"""

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tests.interop.harbor_jobs import Jobs
from tests.job_builders.harbor_cases import FIXTURES
from tests.job_builders.harbor_job import write

TASKS = ("greet", "sum", "stall", "mute", "pair")
AGENTS = [{"name": "oracle"}, {"import_path": "scripted_agents:Scripted", "model_name": "own/model-1"}]
PLACE = "/evals"


def write_real_job(release: str) -> None:
    """One job of the release as `fixtures/jobs/clean/harbor_<release>`."""
    name = f"harbor_{release.replace('.', '_')}"
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(release, Path(folder))
        job = jobs.configure(name, TASKS, n_attempts=1, agents=AGENTS)
        answer = jobs.run(name)
        if answer.returncode:
            raise RuntimeError(answer.stderr)
        target = FIXTURES / "clean" / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(job, target / "job")
        for path in sorted((target / "job").rglob("*")):
            if path.is_file():
                _scrub(path, folder)
    # the oracle's two steps score 0.5, and the scripted agent does neither file of the second step
    expected: dict[str, Any] = {
        "why": f"Harbor {release} ran five of our tasks, by the oracle and by a scripted agent.",
        "outcomes": {"scored": 8, "failed": 2},
        "findings": {"tasks-failed": 2, "scoring-rules-differ": 2, "departure-from-defaults": 1},
    }
    write(target / "expect.json", expected)


def _scrub(path: Path, folder: str) -> None:
    text = path.read_text().replace(folder, PLACE)
    text = re.sub(r"/\S*/tests/interop/harbor_kit", f"{PLACE}/kit", text)
    text = re.sub(r"/\S*runaudit-interop-\w+", f"{PLACE}/sandbox", text)
    if path.name == "exception.txt":
        text = text.strip().splitlines()[-1] + "\n"
    if path.name == "result.json" and "exception_traceback" in text:
        document = json.loads(text)
        for info in (document, *(document.get("step_results") or [])):
            if info.get("exception_info"):
                trace = info["exception_info"]["exception_traceback"]
                info["exception_info"]["exception_traceback"] = trace.strip().splitlines()[-1]
        text = json.dumps(document, indent=4)
    path.write_text(text)


if __name__ == "__main__":
    for version in ("0.25.0", "0.26.0"):
        write_real_job(version)
