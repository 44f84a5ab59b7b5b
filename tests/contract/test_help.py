"""What `--help` says: every command and every option explains itself."""

from collections.abc import Iterator

import click
import pytest

from runaudit.cli.exits import guarded
from runaudit.cli.main import COMMANDS, cli


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = [pytest.param(path, command, id=" ".join(path)) for path, command in commands()]


@pytest.mark.parametrize(("path", "command"), ALL)
def test_a_command_says_what_it_does_and_what_each_option_is_for(path: tuple[str, ...], command: click.Command) -> None:
    assert command.help, path
    silent = [option.opts for option in command.params if isinstance(option, click.Option) and not option.help]
    assert silent == []


@pytest.mark.parametrize(("path", "command"), ALL)
def test_every_argument_is_named_in_the_help(path: tuple[str, ...], command: click.Command) -> None:
    named = [
        (parameter.make_metavar(click.Context(command)))
        for parameter in command.params
        if parameter.param_type_name == "argument"
    ]
    words = [name.strip("[].…").upper() for name in named]
    assert [word for word in words if word not in (command.help or "")] == [], path


@pytest.mark.parametrize("path", [(), *(path for path, _ in commands())], ids=" ".join)
def test_help_fits_a_terminal_of_80_columns(path: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded([*path, "--help"]) == 0
    text = capfd.readouterr().out
    assert max(map(len, text.splitlines())) <= 80


def test_the_list_of_commands_says_one_thing_of_each(capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded([]) in (0, 2)
    streams = capfd.readouterr()
    assert [name for name, (_, line) in COMMANDS.items() if line not in streams.out + streams.err] == []
