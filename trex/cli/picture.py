"""EnginePlan → a picture of its graph in a file."""

from __future__ import annotations

from pathlib import Path

from trex.cli import console
from trex.cli.settings import lint_settings
from trex.core.errors import TrexError
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.style import DiagramStyle

STDOUT = "-"


def draw(
    plan: EnginePlan,
    path: str,
    name: str = "",
    style: DiagramStyle | None = None,
    selection: Selection | None = None,
    lint: PlanLint | None = None,
) -> str:
    """Writes the graph, or the part of it that is selected, and returns the path.

    name: of the format, by the file's ending unless given. lint: what colors say of the plan; with the settings of
    the working directory unless given. Raises TrexError for an ending that no format has, and for
    a selection that nothing answers.
    """
    from trex.export.diagram import Drawing, diagram_format, render_diagram
    from trex.export.files import write_file
    from trex.views.diagram.drawn_graph import hard_to_read

    name = check_format(path, name)
    if not plan.all_layers:
        raise TrexError(
            "no layers are known, so there is nothing to draw",
            "trex doctor PATH prints the command that exports them",
            plan.engine.source,
        )
    file = None if path == STDOUT else Path(path)
    drawing = Drawing(plan, style or DiagramStyle(), file, selection, lint or PlanLint(plan, None, lint_settings))
    with console.patience(f"drawing {plan.name}"):
        content = render_diagram(drawing, name)
    console.print_notes(drawing.notes)
    if diagram_format(name).value.is_picture:
        console.print_notes(hard_to_read(drawing.graph))
    if path == STDOUT:
        console.write_bytes(content)
        return path
    return str(write_file(path, content))


def check_format(path: str, name: str = "") -> str:
    """The name of the format for a file. Raises TrexError for an unknown one, and where name and ending disagree."""
    from trex.export.diagram import diagram_format, format_of

    name = name.lower()
    if not path or path == STDOUT:
        return diagram_format(name or "svg").name
    by_ending = format_of(path)
    if not name or diagram_format(name).name == by_ending:
        return by_ending
    # x.json may be of any format whose own ending is longer and ends so.
    endings = tuple(suffix for suffix in diagram_format(by_ending).value.suffixes if path.lower().endswith(suffix))
    if any(suffix.endswith(endings) for suffix in diagram_format(name).value.suffixes):
        return name
    raise TrexError(f"the file name says {by_ending}, the option says {name}", "omit one of them", path)


def default_ending(name: str) -> str:
    """The usual file name ending of a format."""
    from trex.export.diagram import diagram_format

    ending: str = diagram_format(name).value.suffixes[0]
    return ending
