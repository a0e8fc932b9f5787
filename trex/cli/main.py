"""Command line → exit code: 0 done, 1 findings, 2 usage or input error, 130 interrupted."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence

from trex.cli import console
from trex.cli.command import COMMANDS, GROUPS, Command, add_options
from trex.core.collector import use_own_process
from trex.core.errors import TrexError
from trex.export.lettering import wrapped

DESCRIPTION = "explore TensorRT engines"
EPILOG = """\
start with:
  trex summary FOLDER
  trex lint FOLDER
  trex summary example:resnet18-int8    without files of your own

trex COMMAND --help shows the options of a command. NO_COLOR=1 turns colors off.

exit codes: 0 done · 1 findings · 2 usage or input error · 130 interrupted
"""
DONE, FINDINGS, USAGE_ERROR, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; a TrexError is printed without a traceback."""
    if argv is None:
        use_own_process()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        with console.read_to_the_end():
            return _run(arguments)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except TrexError as error:
        console.complain(f"trex: {error}")
        return USAGE_ERROR


def _run(arguments: list[str]) -> int:
    name = next((word for word in arguments if not word.startswith("-")), None)
    if name is None:
        overview = _overview()
        overview.parse_args(arguments)
        overview.print_help()
        return DONE
    plug = COMMANDS.load(name)
    command: Command = plug.value
    words = command.spelled(_behind(name, arguments))
    values = vars(_parser_of(name, plug.doc, command).parse_intermixed_args(words))
    try:
        return command.run(command.options(**values))
    except TrexError as error:
        console.complain(f"trex {name}: {error}")
        return USAGE_ERROR


def _behind(name: str, arguments: list[str]) -> list[str]:
    """The command's arguments, with options in front of the command (``trex --help summary``)."""
    index = arguments.index(name)
    return arguments[:index] + arguments[index + 1 :]


def _parser_of(name: str, doc: str, command: Command) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"trex {name}",
        description=doc.replace("``", ""),
        epilog="exit codes: 0 done · 1 findings · 2 usage or input error",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    _add_version(parser)
    add_options(parser, command.options)
    return parser


def _overview() -> argparse.ArgumentParser:
    """The parser without a command: what ``trex --help`` shows."""
    parser = argparse.ArgumentParser(
        prog="trex",
        usage="trex COMMAND …",
        description=f"trex: {DESCRIPTION}\n\n{_listed_commands()}",
        epilog=EPILOG,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    _add_version(parser)
    return parser


def _listed_commands() -> str:
    """Commands by what people want to do; those of third parties come last, with the reason if one is broken."""
    names = {group: [name for name in COMMANDS.names if name in members] for group, members in GROUPS.items()}
    listed = {name for members in GROUPS.values() for name in members}
    others = [name for name in COMMANDS.known_names if name not in listed]
    lines = [f"  {group:<11}{'  '.join(sorted(members, key=GROUPS[group].index))}" for group, members in names.items()]
    lines += [f"  {'Added' if not index else '':<11}{_checked(name)}" for index, name in enumerate(others)]
    return "\n".join(lines)


def _checked(name: str) -> str:
    try:
        COMMANDS.load(name)
        return name
    except Exception as error:  # a third party's module may fail in any way, and the others are still there
        return f"{name} (not available: {type(error).__name__}: {error})"


class _Help(argparse.HelpFormatter):
    """Paragraphs are filled to the terminal's width; lines that are indented stay lines, and wrap below themselves.

    Commands among them stay commands: what does not fit goes on behind a backslash.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs: list[str] = []
        for line in text.splitlines():
            if paragraphs and paragraphs[-1] and line and " " not in (line[0], paragraphs[-1][0]):
                paragraphs[-1] += f" {line}"
            else:
                paragraphs.append(line)
        return "\n".join(indent + piece for line in paragraphs for piece in _wrapped(line, width)) + "\n"


def _wrapped(line: str, width: int) -> Iterator[str]:
    """A line of help; what follows its first wide gap (name, then words) stays in its column."""
    lead = _LEAD.match(line)
    column = len(lead[0]) if lead else 0
    if len(line) <= width or width - column < 20:
        yield line
        return
    if line.startswith("  trex ") and not lead:
        yield from _continued(line, width)
        return
    for piece in wrapped(line[column:], width - column):
        yield line[:column] + piece
        line = " " * column


def _continued(command: str, width: int) -> Iterator[str]:
    """A command on several lines that a shell takes as one: broken between words, never inside quotes."""
    line = " "
    for word in _WORDS.findall(command):
        if len(line) + 1 + len(word) + len(" \\") > width and line.strip():
            yield f"{line} \\"
            line = " " * 5
        line += f" {word}"
    yield line


_WORDS = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")
_LEAD = re.compile(r" +\S.*?\s{2,}")


def _add_version(parser: argparse.ArgumentParser) -> None:
    from trex import __version__

    parser.add_argument("-V", "--version", action="version", version=f"trex {__version__}")
