#!/usr/bin/env python3
"""Draws the graph of an engine from its JSON; a thin launcher. ``trex draw`` can do more.

python utils/draw_engine.py out/resnet.graph.json --profiling_json out/resnet.profile.json --output_format svg
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.classic.nx_graphs import (
    convert_dot_to_svg,
    create_directed_subgraph,
    nx_from_dot,
    nx_to_svg,
    query_layers,
)
from trex.cli.console import print_notes, read_to_the_end
from trex.engine_plan import EnginePlan, TrexError
from trex.export.dot_document import write_picture
from trex.export.plan_dot import plan_dot
from trex.graph.find import split_radius as parse_beam
from trex.graph.select import Selection
from trex.graphing import looks_of
from trex.views.diagram.style import DiagramStyle

__all__ = [
    "convert_dot_to_svg",
    "create_directed_subgraph",
    "draw_engine",
    "draw_subgraph_beam",
    "draw_subgraph_query",
    "nx_from_dot",
    "nx_to_svg",
    "parse_beam",
    "query_layers",
]

_LOOKS = tuple(inspect.signature(looks_of).parameters)
_CLASSIC = {
    "display_forking_regions": True,
    "display_region_reuse": True,
    "display_edge_details": False,
    "remove_disconnected_layers": True,
}


def draw_engine(
    engine_json_fname: str,
    profiling_json_fname: str | None = None,
    output_format: str | None = None,
    beam_center: str | None = None,
    beam_radius: int = 0,
    query: str | None = None,
    **kwargs: Any,
) -> str:
    """Writes ENGINE_JSON_FNAME.FORMAT and returns its path. svg is the default; png and pdf need the extra ``picture``.

    beam_center, beam_radius: draws only layers within so many steps of that layer, to FNAME.beam.FORMAT.
    query: draws only layers whose name, metadata or type matches the regular expression, to FNAME.query.FORMAT.
    kwargs: those of ``trex.graphing.DotGraph``. What is wrong with the files goes to standard error. Raises TrexError.
    """
    looks = looks_of(**{name: kwargs.pop(name) for name in tuple(kwargs) if name in _LOOKS})
    marked = kwargs.get("highlight_layers")
    kwargs["highlight_layers"] = () if marked is None else tuple(marked)
    style = DiagramStyle(**{"color_by": looks.color_by or "type", **_CLASSIC, **kwargs})
    selection = Selection(beam=(beam_center, beam_radius) if beam_center else "", query=query or "")
    plan = EnginePlan(engine_json_fname, profiling_json_fname)
    print_notes(note for note in plan.notes if note.severity != "info")
    dot = plan_dot(plan, style, looks, selection)
    part = ".beam" if beam_center else ".query" if query else ""
    form = (output_format or "svg").lower()
    return str(write_picture(dot, f"{engine_json_fname}{part}.{form}", form))


def draw_subgraph_beam(engine_json_fname: str, beam_center: str, beam_radius: int, **kwargs: Any) -> str:
    """``draw_engine`` of the layers near one. kwargs: further arguments of ``draw_engine``."""
    return draw_engine(engine_json_fname, beam_center=beam_center, beam_radius=beam_radius, **kwargs)


def draw_subgraph_query(engine_json_fname: str, query: str, **kwargs: Any) -> str:
    """``draw_engine`` of the layers that match a regular expression. kwargs: further arguments of ``draw_engine``."""
    return draw_engine(engine_json_fname, query=query, **kwargs)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("input", help="the engine's graph JSON")
    parser.add_argument("--profiling_json", "-pj", help="the engine's profile JSON")
    parser.add_argument("--output_format", "-of", default="svg", help="svg, png, pdf or dot")
    parser.add_argument("--beam", "-b", metavar="NODE,RADIUS", help="draw only layers near this one")
    parser.add_argument("--query", "-q", metavar="REGEX", help="draw only layers that match")
    for flag, short, name in (
        ("--display_regions", "-dr", "display_regions"),
        ("--display_region_names", "-drn", "display_region_names"),
        ("--display_constant", "-dc", "display_constants"),
        ("--display_metadata", "-dm", "display_metadata"),
    ):
        parser.add_argument(flag, short, dest=name, action="store_true")
    parser.add_argument("--no_layer_names", "-no_ln", dest="display_layer_names", action="store_false")
    options = vars(parser.parse_args(argv))
    graph, profile, form, beam, query = (
        options.pop(name) for name in ("input", "profiling_json", "output_format", "beam", "query")
    )
    try:
        center, radius = parse_beam(beam) if beam else (None, 0)
        print(f"Created {draw_engine(graph, profile, form, center, radius, query, **options)}")
    except TrexError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    with read_to_the_end():
        sys.exit(main())
