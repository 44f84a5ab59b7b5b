"""The version stands in two places, which must agree."""

import os
import tomllib

from runaudit.version import VERSION

PROJECT = os.path.join(os.path.dirname(__file__), "..", "..", "pyproject.toml")


def test_the_module_states_the_version_of_the_project() -> None:
    with open(PROJECT, "rb") as file:
        assert tomllib.load(file)["project"]["version"] == VERSION
