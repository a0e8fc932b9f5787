"""Reading → terminal or file: text, JSON or Markdown, as the options of a command ask."""

from __future__ import annotations

from trex.cli import console
from trex.views.performance.reading import Reading


def show_reading(reading: Reading, output: str, *, as_json: bool, bars: bool = False) -> None:
    """Writes to ``output``, whose ending chooses (.json, .md, else text), or shows it where there is none.

    as_json: JSON whatever the ending. bars: shares also as bars, on a terminal.
    """
    from trex.export.frame import plain_value

    ending = output.lower().rpartition(".")[2]
    if not output and as_json:
        console.show_json(plain_value(reading.as_dict()))
    elif not output:
        from trex.export.performance_text import performance_lines

        console.show(performance_lines(reading, console.width(), bars=bars and console.is_rich()))
    else:
        console.say(str(_write(reading, output, "json" if as_json else ending)))


def _write(reading: Reading, output: str, kind: str) -> object:
    from trex.export.files import write_file
    from trex.export.frame import json_text, plain_value
    from trex.export.performance_markdown import performance_markdown
    from trex.export.performance_text import performance_text

    if kind == "json":
        return write_file(output, json_text(plain_value(reading.as_dict()), indent=1) + "\n")
    return write_file(output, performance_markdown(reading) if kind == "md" else performance_text(reading))
