"""Command line → exit code: 0 done, 1 findings, 2 the user can mend it, 130 interrupted."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from trex.cli.command import COMMANDS, add_options
from trex.core.errors import TrexError

EPILOG = """\
examples:
  trex summary example:resnet18-int8        facts of a bundled example engine, no GPU needed
  trex summary out/                         facts of the engine whose files are in a folder
  trex layers out/ --top 10                 the ten slowest layers
  trex draw out/                            the engine graph as an SVG picture
  trex doctor out/                          what was recognised, what is missing and how to get it

exit codes: 0 done · 1 findings · 2 something to mend in the input or the command · 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; a TrexError is printed without a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser(arguments)
    values = vars(parser.parse_args(arguments))
    name = values.pop("command")
    if name is None:
        parser.print_help()
        return 0
    command = COMMANDS.load(name).value
    try:
        return command.run(command.options(**values))
    except TrexError as error:
        print(f"trex {name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our pipe is gone (``| head``): point stdout elsewhere and leave quietly
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def build_parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser. Only the command that is asked for declares its options; the others just their summary line."""
    from trex import __version__

    parser = argparse.ArgumentParser(
        prog="trex",
        description="Explore TensorRT engines: what was built, what it costs, and why.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-v", "--version", action="version", version=f"trex {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    asked = next((word for word in arguments if not word.startswith("-")), None)
    for name in COMMANDS.names:
        plug = COMMANDS.load(name)
        sub = subparsers.add_parser(
            name,
            help=plug.summary.rstrip("."),
            description=plug.doc,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == asked or asked is None:
            add_options(sub, plug.value.options)
    return parser
