"""Recognises a command line with what lies on disk: configuration files and the installed producer."""

import os
from collections.abc import Mapping, Sequence

from runaudit.layouts.nemo_gym.command_answers import Answer, Declined, NoOutput, Recognised
from runaudit.layouts.nemo_gym.command_line import read_command
from runaudit.layouts.nemo_gym.installed import install_roots
from runaudit.read.settings import read_settings

__all__ = ["Answer", "Declined", "NoOutput", "Recognised", "recognise"]


def recognise(command: Sequence[str], environment: Mapping[str, str]) -> Answer:
    """Where the rollouts of a command will lie that is started here and now with this environment. Never raises."""
    try:
        return read_command(
            command,
            cwd=os.getcwd(),
            environment=environment,
            read_yaml=read_settings,
            install_roots=install_roots,
        )
    except Exception as error:  # noqa: BLE001  # a fault in recognising must not keep the command from starting
        return NoOutput(f"the command line could not be read ({type(error).__name__}: {error})")
