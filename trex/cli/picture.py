"""EnginePlan → a picture of its graph in a file."""

from __future__ import annotations

from pathlib import Path

from trex.cli import console
from trex.core.errors import TrexError
from trex.plan.engine_plan import EnginePlan

STDOUT = "-"
_LATER = ("png", "dot")


def draw(plan: EnginePlan, path: str) -> str:
    """Writes the graph as SVG and returns the path. Raises TrexError for an ending that promises another format."""
    suffix = Path(path).suffix.lower().lstrip(".")
    if path != STDOUT:
        check_format(suffix, path)
    if not plan.all_layers:
        raise TrexError(
            "no layers are known, so there is nothing to draw",
            "trex doctor PATH tells the command that exports them",
            plan.engine.source,
        )
    from trex.export.files import write_file
    from trex.export.svg import render_svg
    from trex.graph.build import build_graph
    from trex.views.diagram.scene import build_scene

    with console.patience(f"drawing {plan.name}"):
        content = render_svg(build_scene(build_graph(plan), plan))
    if path == STDOUT:
        console.write_bytes(content.encode("utf-8", "replace"))
        return path
    return str(write_file(path, content))


def check_format(name: str, where: str = "") -> None:
    """Raises TrexError for every format but SVG."""
    if name == "svg":
        return
    if name in _LATER:
        raise TrexError(
            f"drawing {name.upper()} comes with a later version; this one draws SVG",
            "any browser shows SVG; rsvg-convert, Inkscape and others make PNG of it",
            where,
        )
    raise TrexError(
        f"no picture can be written as {name!r}" if name else "the file name has no ending",
        "end it in .svg",
        where,
    )
