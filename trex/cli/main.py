"""Command line → exit code: 0 done, 1 findings, 2 usage or input error, 3 gate inconclusive, 128 + N stopped."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from trex.cli import console
from trex.cli.command import COMMANDS, DONE, GROUPS, INTERRUPTED, USAGE_ERROR, Command, add_options
from trex.cli.limits import limit_of
from trex.cli.stopping import Stopped, Stopping, leave
from trex.core.collector import use_own_process
from trex.core.errors import TrexError, file_error
from trex.core.options import option_fields
from trex.core.printable import clipped, printable
from trex.export.lettering import wrapped

if TYPE_CHECKING:
    from trex.views.document import Document

DESCRIPTION = "explore TensorRT engines"
LONGEST_ERROR = 1000
_VERSION = {"-V", "--version"}
FIRST_STEPS = """\
trex: explore TensorRT engines

  trex summary FOLDER              where the time goes, and what to do first
  trex lint FOLDER                 why it is slow, and what to change
  trex report FOLDER -o page.html  everything on one page
  trex compare BASE NEW            which is faster, and why
  trex process MODEL.onnx FOLDER   build and profile it with trtexec

FOLDER has the files of one engine; example:resnet18-int8 is one of ours.
Without a GPU: trex process MODEL.onnx FOLDER --backend tensorrt-rtx
All commands: trex --help. What a folder lacks: trex doctor FOLDER"""
EPILOG = """\
start with:
  trex summary FOLDER
  trex lint FOLDER
  trex summary example:resnet18-int8    without files of your own

trex COMMAND --help shows the options of a command. NO_COLOR=1 turns colors off.

exit codes: 0 done · 1 findings · 2 usage or input error · 3 gate inconclusive · 128 + N ended by signal N
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; a TrexError is printed without a traceback.

    Without ``argv``, as the program: the process is trex's own, signals included.
    """
    if argv is not None:
        return _ended(list(argv))
    use_own_process()
    if not sys.warnoptions:  # of libraries, with lines of our code: nothing that the user could do about
        warnings.simplefilter("ignore")
    console.write_reliably()
    stopping = Stopping()
    stopping.begin()
    try:
        code = _ended(sys.argv[1:])
        code = stopping.stopped.code if stopping.stopped and code == USAGE_ERROR else code
    except KeyboardInterrupt as stop:
        code = _stopped(stop, "trex")
    except Exception:
        if stopping.stopped is None:
            raise
        code = _stopped(stopping.stopped, "trex")  # libraries (DuckDB) raise errors of their own for it
    finally:
        stopping.end()
    if stopping.stopped is not None:
        leave(code)
    return code


def _ended(arguments: list[str]) -> int:
    code = DONE
    try:
        with console.read_to_the_end():
            code = _run(arguments)
        return code
    except TrexError as error:
        console.complain(f"trex: {error}")
        return USAGE_ERROR


def _run(arguments: list[str]) -> int:
    name = next((word for word in arguments if not word.startswith("-")), None)
    if name is None:
        _overview().parse_args(arguments)
        console.write(FIRST_STEPS + "\n")
        return DONE
    who = "trex"
    try:
        command, options = _parsed(name, arguments)
        who = f"trex {name}"
        return _answered_to_the_end(name, command, options)
    except TrexError as error:
        trouble = error
    except KeyboardInterrupt as stop:
        return _stopped(stop, who)
    except Exception as error:
        refused = limit_of(error)
        if refused is None and isinstance(error, OSError) and error.filename is not None:
            refused = file_error(error)
        if refused is None and isinstance(error, FileNotFoundError) and _is_lost():
            refused = TrexError("the current folder does not exist any more", "cd to another one")
        if refused is None:
            raise
        trouble = refused
    # Here, where what the command held is free again: there may be no memory to print in.
    console.complain(f"{who}: {trouble}")
    return USAGE_ERROR


def _is_lost() -> bool:
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        return True
    return False


def _stopped(stop: KeyboardInterrupt, who: str) -> int:
    console.complain(f"{who}: stopped by {stop.name}" if isinstance(stop, Stopped) else f"{who}: stopped")
    return stop.code if isinstance(stop, Stopped) else INTERRUPTED


def _parsed(name: str, arguments: list[str]) -> tuple[Command, Any]:
    plug = COMMANDS.chosen(name)
    command: Command = plug.value
    words = command.spelled(_behind(name, arguments))
    mistaken = (_VERSION & set(words)) - _own_flags(command)
    if mistaken and len(words) > 1:  # printing a version with exit code 0 would pass as an answer
        raise TrexError(
            f"{min(mistaken)} of trex {name} shows the version of trex, and takes no other words", "leave it out"
        )
    return command, command.options(**vars(_parser_of(name, plug.doc, command).parse_intermixed_args(words)))


def document_of(arguments: Sequence[str], allowed: Sequence[str]) -> Document | None:
    """The document of a command line that only reads, for others to show; None if its help was printed.

    allowed: commands. Raises TrexError for another command, for options that choose a format or a file, and as the
    command does. argparse prints what is wrong with the arguments.
    """
    from trex.cli.output import DocumentOptions

    name = next((word for word in arguments if not word.startswith("-")), "")
    if name not in allowed:
        raise TrexError(f"there is no command {name!r} here", f"one of {', '.join(allowed)}; all others: !trex …")
    try:
        command, options = _parsed(name, list(arguments))
    except SystemExit:
        return None
    if not isinstance(options, DocumentOptions) or not options.is_for_reading or options.output:
        raise TrexError("a cell shows the document itself", f"!trex {name} … writes other formats and files")
    answer = command.run(options)
    document = answer[0] if isinstance(answer, tuple) else answer
    return None if isinstance(document, int) else document


def _answered_to_the_end(name: str, command: Command, options: Any) -> int:
    """A rule, chart or exporter of a third party that exits would end as done, without output, findings and gate."""
    try:
        return answered(name, command, options)
    except SystemExit as end:
        hint = "nothing of trex does: update or remove the package with the rule, chart, exporter … that exits"
        raise TrexError(f"a plug-in ended the program with {end.code!r}", hint) from end


def answered(name: str, command: Command, options: Any) -> int:
    """Runs the command and shows its document; a format that it does not write is an error before any work."""
    from trex.cli.inputs_kept import check_inputs_are_kept
    from trex.cli.output import DocumentOptions, check_output, show_document

    check_inputs_are_kept(options)
    if command.checks_output and isinstance(options, DocumentOptions):
        check_output(options, name)
    answer = command.run(options)
    if isinstance(answer, int):
        return answer
    document, code = answer if isinstance(answer, tuple) else (answer, DONE)
    with console.read_to_the_end():  # a gate that failed has failed, whoever reads its output
        show_document(document, options)
    return code


def _behind(name: str, arguments: list[str]) -> list[str]:
    """The command's arguments, with options in front of the command (``trex --help summary``)."""
    index = arguments.index(name)
    return arguments[:index] + arguments[index + 1 :]


def _parser_of(name: str, doc: str, command: Command) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"trex {name}",
        description=doc.replace("``", ""),
        epilog=f"exit codes: {command.exit_codes}",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    _add_version(parser, *sorted(_VERSION - _own_flags(command), key=len))
    add_options(parser, command.options)
    return parser


def _own_flags(command: Command) -> set[str]:
    return {flag for field in option_fields(command.options) for flag in (field.flag, *field.flags)}


def _overview() -> argparse.ArgumentParser:
    """The parser without a command: what ``trex --help`` shows."""
    parser = _Parser(
        prog="trex",
        usage="trex COMMAND …",
        description=f"trex: {DESCRIPTION}\n\n{_listed_commands()}",
        epilog=EPILOG,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    _add_version(parser, *sorted(_VERSION, key=len))
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
        COMMANDS.chosen(name)
        return name
    except TrexError as error:
        return printable(f"{name} (not available: {error.message})")


class _Parser(argparse.ArgumentParser):
    """Prints what it was given as our other errors do: a word of the command line may come from a file's name."""

    def error(self, message: str) -> NoReturn:
        step = self._next_step(message)
        super().error(clipped(message, LONGEST_ERROR) + (f"\n  try: {step}" if step else ""))

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Of ``--option=--`` some releases of Python make a list without a value, whatever the option takes."""
        if action.option_strings and "--" in arg_strings:
            raise argparse.ArgumentError(action, "expected a value, not --")
        return super()._get_values(action, arg_strings)

    def _next_step(self, message: str) -> str:
        """Where a path stands behind an option that takes several words, which takes the path as well."""
        greedy = [
            "/".join(action.option_strings) for action in self._actions if action.option_strings and action.nargs == "+"
        ]
        greedy = [flags for flags in greedy if flags]
        if "arguments are required" in message and greedy:
            return f"paths before {', '.join(greedy)}: they take all words that follow"
        if "invalid choice" in message:
            flags = next((flags for flags in greedy if message.startswith(f"argument {flags}:")), "")
            return f"paths before {flags}: it takes all words that follow" if flags else ""
        return ""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if message:
            console.complain(message.rstrip("\n"))
        sys.exit(status)


class _Help(argparse.HelpFormatter):
    """Paragraphs are filled to the terminal's width; lines that are indented, such as commands, stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs: list[str] = []
        for line in text.splitlines():
            if paragraphs and paragraphs[-1] and line and " " not in (line[0], paragraphs[-1][0]):
                paragraphs[-1] += f" {line}"
            else:
                paragraphs.append(line)
        lines = ((line,) if line.startswith(" ") else wrapped(line, width) for line in paragraphs)
        return "\n".join(indent + piece for pieces in lines for piece in pieces) + "\n"


def _add_version(parser: argparse.ArgumentParser, *flags: str) -> None:
    from trex import __version__

    parser.add_argument(*flags, action="version", version=f"trex {__version__}")
