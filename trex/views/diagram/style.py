"""DiagramStyle: every choice about a diagram, declared once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from trex.core.errors import TrexError
from trex.core.options import count, option, option_fields
from trex.core.timings import LayerTime
from trex.graph.grouping import GROUPINGS
from trex.views.diagram.coloring import coloring_names

# Classic names of the times a diagram can show, and where each is found.
_LATENCIES: dict[str, Callable[[LayerTime], float | None]] = {
    "avg_time": lambda time: time.average_ms,
    "median_time": lambda time: time.median_ms,
    "time": lambda time: time.total_ms,
}
LATENCY_TYPES = tuple(_LATENCIES)
# Who draws SVG, PNG and PDF: our own layout, or Graphviz.
ENGINES = ("trex", "dot")
LATENCY_WORDS = {"avg_time": "average", "median_time": "median", "time": "all iterations"}


def group_choices() -> tuple[str, ...]:
    return ("auto", "none", *GROUPINGS.known_names)


@dataclass(frozen=True)
class DiagramStyle:
    """How a diagram is drawn. Names that the original TREx had keep their meaning.

    Raises TrexError for a word that is not among an option's choices.
    """

    color_by: str = option("type", "what the color of a layer shows", choices=coloring_names)
    display_layer_names: bool = option(True, "write the layers' names")
    stack_layer_names: bool = option(True, "write each fused operation on its own line")
    display_metadata: bool = option(
        True, "write the ONNX nodes that generated kernels came from", flags=("-dm", "--display_metadata")
    )
    display_latency: bool = option(True, "write the layers' times and their shares")
    latency_type: str = option("avg_time", "which time", choices=LATENCY_TYPES)
    display_edge_details: bool = option(True, "write precision, shape and format of the tensors")
    display_edge_name: bool = option(False, "write the tensors' names")
    display_constants: bool = option(False, "show Constant layers as data nodes", flags=("-dc", "--display_constant"))
    display_regions: bool = option(False, "show the memory between layers as nodes", flags=("-dr", "--display_regions"))
    display_forking_regions: bool = option(False, "show memory that several layers read as nodes")
    display_region_names: bool = option(False, "write the regions' names", flags=("-drn", "--display_region_names"))
    display_region_reuse: bool = option(False, "join the generations of a region that is used again (DOT)")
    expand_layer_details: bool = option(False, "write all attributes of the layers")
    fold: bool = option(False, "draw repeated blocks once, with the times of all repetitions")
    fold_from: int = option(
        50_000,
        "fold blocks and close groups from N layers on; 0: never",
        metavar="N",
        convert=count,
    )
    most_nodes: int = option(
        10_000,
        "boxes of such a graph: groups are closed, innermost first",
        metavar="N",
        convert=count,
    )
    group_by: str = option(
        "auto",
        "frames around groups; auto: folded blocks, and structure in pages",
        choices=group_choices,
    )
    close_groups: str = option(
        "",
        "draw groups whose title matches as one box; all: outermost groups",
        metavar="REGEX",
    )
    open_depth: int = option(
        0, "draw groups that lie in N others as one box each; 0: leave all open", metavar="N", convert=count
    )
    remove_disconnected_layers: bool = option(False, "leave out layers without any edge")
    highlight_layers: tuple[str, ...] = option((), "names of layers to be marked", metavar="NAME", many=True)
    engine: str = option(
        "trex", "who draws SVG, PNG and PDF; dot is Graphviz, for small graphs (extra graphviz)", choices=ENGINES
    )

    def __post_init__(self) -> None:
        for field in option_fields(type(self)):
            value = getattr(self, field.name)
            if field.choices and value not in field.choices:
                raise TrexError(f"{value!r} is not a {field.name}", hint=f"one of {', '.join(field.choices)}")

    def latency_ms(self, time: LayerTime | None) -> float | None:
        """The chosen time of a layer in milliseconds, None when not measured."""
        return None if time is None else _LATENCIES[self.latency_type](time)

    def known_ms(self, times: Iterable[LayerTime | None]) -> list[float]:
        """The chosen times that are known."""
        return [ms for ms in map(self.latency_ms, times) if ms is not None and math.isfinite(ms)]

    def total_ms(self, times: Iterable[LayerTime | None]) -> float | None:
        """Their sum, None without any."""
        known = self.known_ms(times)
        return math.fsum(known) if known else None
