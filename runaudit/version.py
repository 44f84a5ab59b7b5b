"""The version, as `pyproject.toml` states it: asking the installed package for it would double the time of a start."""

VERSION = "0.1.0"
