"""The sizes that `make bench` has no time for: 8 GB of rows, a million rows, 100,000 log folders, rows of 100 MB.

`make bench-large` prints the table and writes it to benchmarks/RESULTS-LARGE.md. One run each: what counts here is
that it ends, in how much memory. Takes some minutes and 9 GB below the temporary folder.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import orjson
from bench import RUNAUDIT, Figure, Row, allowed_memory, heading, made, once, table
from data import write_run, write_run_with_logs

HERE = Path(__file__).parent


def _once(command: list[str], folder: str) -> Figure:
    seconds, peak = once(command, folder)
    return Figure([seconds], peak)


def _rows(folder: str, count: int, size: int) -> Row:
    place = os.path.join(folder, "run")
    path = os.path.join(place, "rollouts.jsonl")
    made(write_run, place, count, size)
    figures = {"summarize": _once([RUNAUDIT, "summarize", path], folder)}
    figures["verify"] = _once([RUNAUDIT, "verify", place], folder)
    allowed = allowed_memory(count, size)
    work = f"{os.path.getsize(path) / 1e9:.2f} GB in {count:,} rows of {size // 1000:,} KB"
    shutil.rmtree(place)
    peak = figures["summarize"].peak
    return Row(work, figures, [(f"peak MiB of summarize, at most {allowed:.0f}", peak, allowed, peak <= allowed)])


def _log_folders(folder: str, count: int) -> Row:
    place = os.path.join(folder, "logs")
    path = os.path.join(place, "rollouts.jsonl")
    made(write_run_with_logs, place, count, files=3)
    figures = {
        "summarize": _once([RUNAUDIT, "summarize", path], folder),
        "verify": _once([RUNAUDIT, "verify", place], folder),
        "verify --depth sizes": _once([RUNAUDIT, "verify", place, "--depth", "sizes"], folder),
    }
    shutil.rmtree(place)
    return Row(f"{count:,} log folders of 3 files", figures, [])


def _one_large_row(folder: str, size: int, *, taken: bool) -> Row:
    """Nine rows of 2 KB and one of `size` bytes; whether the large one is to be read."""
    place = os.path.join(folder, "large")
    path = os.path.join(place, "rollouts.jsonl")
    made(write_run, place, 10, 2000)
    made(_swell, path, size)
    figures = {"summarize": _once([RUNAUDIT, "summarize", path], folder)}
    told = orjson.loads(Path(place, "rollouts_run_summary.json").read_bytes())
    scored = told["counts"]["scored"]
    refused = any(group["id"] == "row-too-large" for group in told["findings"])
    right = (scored, refused) == ((10, False) if taken else (9, True))
    shutil.rmtree(place)
    what = "read" if taken else "named and not parsed"
    return Row(
        f"one row of {size >> 20} MiB among ten", figures, [(f"the row is {what}, rows scored", scored, 10, right)]
    )


def _swell(path: str, size: int) -> None:
    rows = Path(path).read_bytes().splitlines()
    rows[4] = rows[4].replace(b'"text":"', b'"text":"' + b"x" * size, 1)
    Path(path).write_bytes(b"\n".join(rows) + b"\n")


PARTS: dict[str, Callable[[str], Row]] = {
    "1GB": lambda folder: _rows(folder, 5_000, 200_000),
    "8GB": lambda folder: _rows(folder, 5_000, 1_600_000),
    "million": lambda folder: _rows(folder, 1_000_000, 1000),
    "folders": lambda folder: _log_folders(folder, 100_000),
    "row100": lambda folder: _one_large_row(folder, 100 << 20, taken=True),
    "row257": lambda folder: _one_large_row(folder, 257 << 20, taken=False),
}


def main() -> None:
    """Runs what is named on the command line, or everything, and writes the table."""
    head = heading("make bench-large", 1)
    rows = []
    for name in sys.argv[1:] or PARTS:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            row = PARTS[name](folder)
        print(table([row]), flush=True)
        rows.append(row)
    if len(sys.argv) == 1:
        (HERE / "RESULTS-LARGE.md").write_text(head + table(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
