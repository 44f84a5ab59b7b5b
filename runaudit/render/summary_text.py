"""A run summary in a few lines of text, as `summarize` prints it."""

from runaudit.model.summary import Summary


def brief(summary: Summary, path: str) -> str:
    """The path written, the counts with their denominators, and the findings in one line each."""
    counts = summary.counts
    parts = [
        f"{getattr(counts, name)} {name}"
        for name in ("scored", "masked", "unscored", "failed", "missing", "conflicted")
        if getattr(counts, name)
    ]
    mean = counts.mean_reward
    told = "no mean" if mean.value is None else f"mean reward {mean.value:.4g} over {mean.n} of {counts.selected}"
    lines = [path, f"{counts.selected} selected: {', '.join(parts) or 'none'}; {told}"]
    lines += [f"{group.level}: {group.id} ({group.count})  {group.title}" for group in summary.findings]
    return "\n".join(lines)
