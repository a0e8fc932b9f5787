"""Command line → exit code: 0 done, 1 findings, 2 the user can mend it, 130 interrupted."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence

from trex.cli import console
from trex.cli.command import COMMANDS, Command, add_options
from trex.core.errors import TrexError
from trex.export.lettering import wrapped

DESCRIPTION = "Explore TensorRT engines: what was built, what it costs, and why."
EPILOG = """\
examples:
  trex summary example:resnet18-int8     facts of a bundled example, no GPU needed
  trex summary out/ --svg engine.svg     facts of your engine, and its picture
  trex layers out/ --top 10              the ten slowest layers
  trex doctor out/                       what is missing, and how to get it
  trex explain latency.pct_time          what a column, layer type or note means

trex COMMAND --help shows the options of one command. NO_COLOR=1 turns colors off.

exit codes: 0 done · 1 findings · 2 to be mended in the input or the command · 130 interrupted
"""
DONE, FINDINGS, TO_MEND, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; a TrexError is printed without a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        with console.read_to_the_end():
            return _run(arguments)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except TrexError as error:
        console.complain(f"trex: {error}")
        return TO_MEND


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
        return TO_MEND


def _behind(name: str, arguments: list[str]) -> list[str]:
    """The command's own arguments; options in front of the command (``trex --help summary``) are its own, too."""
    place = arguments.index(name)
    return arguments[:place] + arguments[place + 1 :]


def _parser_of(name: str, doc: str, command: Command) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"trex {name}",
        description=doc.replace("``", ""),
        epilog="exit codes: 0 done · 1 findings · 2 to be mended in the input or the command",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    _add_version(parser)
    add_options(parser, command.options)
    return parser


def _overview() -> argparse.ArgumentParser:
    """The parser without a command: what ``trex --help`` shows."""
    summaries = _summaries()
    column = max(len(name) for name, _ in summaries) + 2
    listed = "\n".join(f"  {name:<{column}}{line}" for name, line in summaries)
    parser = argparse.ArgumentParser(
        prog="trex",
        usage="trex COMMAND …",
        description=f"{DESCRIPTION}\n\ncommands:\n{listed}",
        epilog=EPILOG,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    _add_version(parser)
    return parser


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

    parser.add_argument("-v", "--version", action="version", version=f"trex {__version__}")


def _summaries() -> list[tuple[str, str]]:
    """Each command and the first line of its documentation; one that cannot be imported is listed with the reason."""
    from importlib.metadata import entry_points

    names = dict.fromkeys((*COMMANDS.names, *(entry.name for entry in entry_points(group=COMMANDS.entry_point_group))))
    lines = []
    for name in names:
        try:
            lines.append((name, COMMANDS.load(name).summary.rstrip(".")))
        except Exception as error:  # a third party's module may fail in any way, and the others are still there
            lines.append((name, f"(not available: {type(error).__name__}: {error})"))
    return lines
