"""Comparing runs: comparability, per-task change, statistics, policy. Pure."""
