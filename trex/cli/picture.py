"""EnginePlan → a picture of its graph in a file."""

from __future__ import annotations

from pathlib import Path

from trex.cli import console
from trex.cli.output import STDOUT, write_output
from trex.cli.settings import lint_settings
from trex.core.errors import TrexError
from trex.core.whole_file import is_stream
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.style import DiagramStyle


def draw(
    plan: EnginePlan,
    path: str,
    name: str = "",
    style: DiagramStyle | None = None,
    selection: Selection | None = None,
    lint: PlanLint | None = None,
) -> str:
    """Writes the graph, or the part of it that is selected, and returns the path; "" for a stream.

    name: of the format, by the file's ending unless given. lint: what colors say of the plan; with the settings of
    the working directory unless given. Raises TrexError for an ending that no format has, and for
    a selection that nothing answers.
    """
    from trex.export.diagram import Drawing, diagram_format, render_diagram
    from trex.views.diagram.drawn_graph import hard_to_read

    name = check_format(path, name)
    if not plan.engine.layers:
        raise TrexError(
            "no layers are known, so there is nothing to draw",
            "trex doctor PATH prints the command that exports them",
            plan.engine.source,
        )
    file = None if path == STDOUT or is_stream(path) else Path(path)
    drawing = Drawing(plan, style or DiagramStyle(), file, selection, lint or PlanLint(plan, None, lint_settings))
    with console.patience(f"drawing {plan.name}"):
        content = render_diagram(drawing, name)
    console.print_notes(drawing.notes)
    if diagram_format(name).value.is_picture and not drawing.remarks:
        console.print_notes(hard_to_read(drawing.graph))
    return write_output(path, content, is_text=diagram_format(name).value.is_text)


def check_format(path: str, name: str = "") -> str:
    """The format of that name, else of the file's ending, else svg. Raises TrexError for an unknown one."""
    from trex.export.diagram import diagram_format, format_of

    if name or not path or path == STDOUT or (is_stream(path) and not Path(path).suffix):
        return diagram_format(name.lower() or "svg").name
    return format_of(path)
