"""Measures runaudit against what a user would pick instead, on data made here, as ratios within one run.

`make bench` prints the table and writes it to benchmarks/RESULTS.md, followed by missed.md, which says why what was
missed was missed; with the names of parts it prints these only. Each figure is the median of three runs of a
whole process, start-up included, in turn with its peers; memory is the largest single process. Our modules are
compiled first, as they are wherever an installer put them, like the peers'. Nothing is asserted: what misses its aim
stands in the table.
"""

import compileall
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from data import write_run, write_run_with_logs, write_tree
from diff_speed import write_summary

HERE = Path(__file__).parent
PYTHON, RUNAUDIT = sys.executable, str(Path(sys.executable).with_name("runaudit"))
PEERS = HERE.parent / ".cache" / "bench"
RUNS = 3
# a slope of 1 is linear; a twentieth is noise
LINEAR = 1.05
ROWS = ((50_000, 20_000), (5_000, 200_000))


class Figure(NamedTuple):
    """Wall seconds and peak memory in MiB over the runs of one command."""

    seconds: list[float]
    peak: float

    @property
    def median(self) -> float:
        """The middle of the wall seconds."""
        return statistics.median(self.seconds)


class Row(NamedTuple):
    """One line of the table: what was done, the figures by name, and each aim with what it came to."""

    work: str
    figures: dict[str, Figure]
    aims: list[tuple[str, float, float, bool]]


def once(command: Sequence[str], cwd: str) -> tuple[float, float]:
    """Wall seconds and peak MiB of one whole process and its largest child."""
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return time.perf_counter() - began, used.ru_maxrss / 1024


def measure(commands: dict[str, Sequence[str]], cwd: str) -> dict[str, Figure]:
    """Every command three times, in turn, after one run that is not counted."""
    told: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for turn in range(RUNS + 1):
        for name, command in commands.items():
            figure = once(command, cwd)
            if turn:
                told[name].append(figure)
    return {name: Figure([s for s, _ in runs], max(m for _, m in runs)) for name, runs in told.items()}


def made(work: Callable[..., object], *args: object, **more: object) -> None:
    """Makes data in a process of its own: a child's peak memory is never below its parent's, which must stay small."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work(*args, **more)
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"{work.__name__} failed")


def faster(figures: dict[str, Figure], own: str, peer: str, aim: float) -> tuple[str, float, float, bool]:
    """How many times as fast as a peer, and whether that reaches the aim."""
    ratio = figures[peer].median / figures[own].median
    return f"{own}: × the speed of {peer}, at least {aim:g}", ratio, aim, ratio >= aim


def within(figures: dict[str, Figure], own: str, peer: str, aim: float) -> tuple[str, float, float, bool]:
    """How many times as long as a peer takes, and whether that stays within the aim."""
    ratio = figures[own].median / figures[peer].median
    return f"{own}: × the time of {peer}, at most {aim:g}", ratio, aim, ratio <= aim


def peer_python() -> str:
    """The interpreter of an environment that holds the peers; made when it is missing."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "duckdb", "bagit", "orjson"], check=True)
    return str(python)


def compiled() -> None:
    """Compiles our modules, as an installer does; nobody does it for a checkout where the environment forbids it."""
    compileall.compile_dir(str(HERE.parent / "runaudit"), quiet=1)


def summarize_rows(folder: str, peers: str) -> list[Row]:
    """A gigabyte of rollouts, twice: rows of 20 KB and of 200 KB."""
    found = []
    for count, size in ROWS:
        place = os.path.join(folder, f"rows{size}")
        path = os.path.join(place, "rollouts.jsonl")
        made(write_run, place, count, size)
        loop = [peers, str(HERE / "peers.py")]
        figures = measure(
            {
                "summarize": [RUNAUDIT, "summarize", path],
                "duckdb": [*loop, "duckdb", path],
                "duckdb, rows up to 256 MiB": [*loop, "duckdb-any", path],
                "orjson": [*loop, "orjson", path],
                "json": [*loop, "json", path],
                "wc -l": ["wc", "-l", path],
            },
            folder,
        )
        allowed = allowed_memory(count, size)
        peak = figures["summarize"].peak
        found.append(
            Row(
                f"summarize, {os.path.getsize(path) / 1e9:.2f} GB in {count:,} rows of {size // 1000} KB",
                figures,
                [
                    faster(figures, "summarize", "duckdb", 0.8),
                    faster(figures, "summarize", "duckdb, rows up to 256 MiB", 0.8),
                    faster(figures, "summarize", "orjson", 2),
                    faster(figures, "summarize", "json", 4),
                    (f"peak MiB, at most {allowed:.0f}", peak, allowed, peak <= allowed),
                ],
            )
        )
        shutil.rmtree(place)
    return found


def manifests(folder: str, peers: str) -> list[Row]:
    """Many small files, and four large ones."""
    found = []
    for name, count, smallest, largest, bagit_aim in (
        ("20,000 files of 4 to 64 KB", 20_000, 4 << 10, 64 << 10, 2.0),
        ("4 files of 256 MiB", 4, 256 << 20, 256 << 20, 1.2),
    ):
        bag = os.path.join(folder, "bag")
        tree = os.path.join(bag, "data")
        made(write_tree, bag, count, smallest, largest)
        make = "import bagit, sys; bagit.make_bag(sys.argv[1], checksums=['sha256'], processes=2)"
        subprocess.run([peers, "-c", make, bag], check=True, capture_output=True)
        sums = "find . -type f -print0 | xargs -0 sha256sum > ../SUMS"
        subprocess.run(["sh", "-c", sums], cwd=tree, check=True)
        listing, cache = os.path.join(bag, "SUMS"), os.path.join(folder, "cache")
        own = [RUNAUDIT, "manifest", "verify", listing, tree]
        figures = measure(
            {
                "manifest verify": own,
                "with --cache, unchanged": [*own, "--cache", cache],
                "sha256sum -c": ["sh", "-c", "sha256sum -c --quiet ../SUMS"],
                "bagit --processes 2": [peers, "-m", "bagit", "--validate", "--processes", "2", bag],
            },
            tree,
        )
        found.append(
            Row(
                f"SHA-256 of {name}",
                figures,
                [
                    faster(figures, "manifest verify", "sha256sum -c", 3),
                    faster(figures, "manifest verify", "bagit --processes 2", bagit_aim),
                    within(figures, "with --cache, unchanged", "manifest verify", 1 / 3),
                ],
            )
        )
        shutil.rmtree(bag)
        os.unlink(cache)
    return found


def folders(folder: str) -> list[Row]:
    """`verify` over 20,000 log folders: with digests, and names and sizes only."""
    place = os.path.join(folder, "logs")
    path = os.path.join(place, "rollouts.jsonl")
    made(write_run_with_logs, place, 20_000, files=5)
    subprocess.run([RUNAUDIT, "summarize", path], check=True, capture_output=True)
    figures = measure(
        {
            "verify": [RUNAUDIT, "verify", place],
            "verify --depth sizes": [RUNAUDIT, "verify", place, "--depth", "sizes"],
            "reading the files": ["sh", "-c", "find verifier -type f -print0 | xargs -0 cat"],
            "find -printf %s": ["find", "verifier", "-printf", "%s\\n"],
        },
        place,
    )
    shutil.rmtree(place)
    return [
        Row(
            "verify, 20,000 log folders with 100,000 files",
            figures,
            [
                within(figures, "verify", "reading the files", 1.5),
                within(figures, "verify --depth sizes", "find -printf %s", 2),
            ],
        )
    ]


def starting(folder: str) -> list[Row]:
    """How long the commands take to start, against an interpreter that does nothing."""
    place = os.path.join(folder, "ten")
    path = os.path.join(place, "rollouts.jsonl")
    made(write_run, place, 10, 2000)
    figures = measure(
        {
            "runaudit --version": [RUNAUDIT, "--version"],
            "summarize, ten tasks": [RUNAUDIT, "summarize", path],
            "python -c pass": [PYTHON, "-c", "pass"],
        },
        folder,
    )
    return [
        Row(
            "starting",
            figures,
            [
                within(figures, "runaudit --version", "python -c pass", 6),
                within(figures, "summarize, ten tasks", "python -c pass", 16),
            ],
        )
    ]


def scaling(folder: str) -> list[Row]:
    """Ten times the rows, and ten times the bytes: the time should grow tenfold at most (a slope of 1)."""
    found = []
    for work, small, large in (
        ("rows × 10, of 1 KB", (100_000, 1000), (1_000_000, 1000)),
        ("bytes × 10, in 5,000 rows", (5_000, 40_000), (5_000, 400_000)),
    ):
        figures: dict[str, Figure] = {}
        names = [f"{count:,} rows of {size // 1000} KB" for count, size in (small, large)]
        for name, (count, size) in zip(names, (small, large), strict=True):
            place = os.path.join(folder, "scale")
            path = os.path.join(place, "rollouts.jsonl")
            made(write_run, place, count, size)
            figures |= measure({name: [RUNAUDIT, "summarize", path]}, folder)
            shutil.rmtree(place)
        slope = math.log10(figures[names[1]].median / figures[names[0]].median)
        count, size = large
        memory = allowed_memory(count, size)
        peak = figures[names[1]].peak
        aims = [
            (f"slope, at most {LINEAR}", slope, LINEAR, slope <= LINEAR),
            (f"peak MiB, at most {memory:.0f}", peak, memory, peak <= memory),
        ]
        found.append(Row(f"summarize, {work}", figures, aims))
    return found


def allowed_memory(count: int, size: int) -> float:
    """Peak MiB that `summarize` may reach over `count` rows of `size` bytes."""
    return 96 + 1.5 * count / 1024 + size / (1 << 20)


def differing(folder: str) -> list[Row]:
    """`diff` of two summaries with 100,000 tasks each."""
    paths = [os.path.join(folder, f"{name}_run_summary.json") for name in ("before", "after")]
    for seed, path in enumerate(paths):
        made(write_summary, path, 100_000, seed)
    figures = measure({"diff": [RUNAUDIT, "diff", *paths]}, folder)
    seconds, peak = figures["diff"].median, figures["diff"].peak
    aims = [("seconds, at most 5", seconds, 5.0, seconds <= 5), ("peak MiB, at most 1024", peak, 1024.0, peak <= 1024)]
    return [Row("diff, two summaries with 100,000 tasks", figures, aims)]


def table(rows: Sequence[Row]) -> str:
    """The results as Markdown."""
    lines: list[str] = []
    for row in rows:
        lines += [f"## {row.work}", "", "| command | seconds (least to most) | peak MiB |", "| --- | ---: | ---: |"]
        for name, figure in row.figures.items():
            spread = f"{figure.median:.3f} ({min(figure.seconds):.3f} to {max(figure.seconds):.3f})"
            lines.append(f"| {name} | {spread} | {figure.peak:.0f} |")
        lines += ["", "| must reach | came to | |", "| --- | ---: | --- |"]
        lines += [f"| {aim} | {value:.2f} | {'reached' if good else 'missed'} |" for aim, value, _, good in row.aims]
        lines.append("")
    return "\n".join(lines)


def heading(command: str, runs: int) -> str:
    """Where, with what and by which command the figures were taken."""
    machine = f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}"
    return (
        "# Results\n\n"
        f"Written by `{command}`. {machine}, Python {platform.python_version()}, runaudit {version('runaudit')}.\n"
        f"Medians of {runs} runs of whole processes, in turn with the peers; load average {os.getloadavg()[0]:.1f}.\n\n"
    )


def main() -> None:
    """Runs what is named on the command line, or everything, and writes the table."""
    parts: dict[str, Callable[[str, str], list[Row]]] = {
        "starting": lambda folder, _: starting(folder),
        "rows": summarize_rows,
        "manifests": manifests,
        "folders": lambda folder, _: folders(folder),
        "diff": lambda folder, _: differing(folder),
        "scaling": lambda folder, _: scaling(folder),
    }
    peers = peer_python()
    compiled()
    head, rows = heading("make bench", RUNS), []
    for name in sys.argv[1:] or parts:
        if name not in parts:
            sys.exit(f"no part is called {name}; there are {', '.join(parts)}")
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            came = parts[name](folder, peers)
        print(table(came), flush=True)
        rows += came
    if len(sys.argv) == 1:
        (HERE / "RESULTS.md").write_text(
            head + table(rows) + "\n" + (HERE / "missed.md").read_text("utf-8"), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
