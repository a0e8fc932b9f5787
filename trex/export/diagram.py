"""Plan → file of its graph: the registry of diagram formats, and what a format is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Plug, Registry
from trex.graph.plan_graph import PlanGraph
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.drawn_graph import drawn_graph, unmet_wishes
from trex.views.diagram.scene import Scene, build_scene
from trex.views.diagram.scene_view import SceneView, scene_view
from trex.views.diagram.style import ENGINES, DiagramStyle


@dataclass(frozen=True)
class Drawing:
    """What a format may draw from. The graph and the scene are made when first asked for.

    path: where the file will be, None when it goes to standard output. selection: the part of the graph to draw, None
    for all of it. lint: what colors say of the plan; its own files' device and no settings unless given. remarks: of
    the format that draws it.
    """

    plan: EnginePlan
    style: DiagramStyle = field(default_factory=DiagramStyle)
    path: Path | None = None
    selection: Selection | None = None
    lint: PlanLint | None = None
    remarks: list[Note] = field(default_factory=list)

    @cached_property
    def graph(self) -> PlanGraph:
        return drawn_graph(self.plan, self.style, self.selection, self._lint)

    @cached_property
    def whole_graph(self) -> PlanGraph:
        """The graph for files that are data: nothing in it is folded or closed only because it is large."""
        if not 0 < self.style.fold_from <= len(self.plan.working_layers):
            return self.graph
        return drawn_graph(self.plan, replace(self.style, fold_from=0), self.selection, self._lint)

    @cached_property
    def _lint(self) -> PlanLint:
        """One for all colors and all graphs of the drawing."""
        return self.lint or PlanLint(self.plan)

    @cached_property
    def view(self) -> SceneView:
        """The drawing for a page, in which groups open and close: a large graph has its modules there."""
        return scene_view(self.plan, self._lint, style=self.style, graph=self.graph, selection=self.selection)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the style asks for that the engine has not, and the remarks."""
        return (*unmet_wishes(self.graph, self.style), *self.remarks)

    @property
    def folded(self) -> Drawing:
        """The same with repeated blocks drawn once."""
        return replace(self, style=replace(self.style, fold=True))

    @cached_property
    def scene(self) -> Scene:
        """The graph laid out."""
        return build_scene(self.graph, self.plan, self.style)


@dataclass(frozen=True, slots=True)
class DiagramFormat:
    """suffixes: file name endings, the usual one first. render: Drawing → the file's content.

    is_text: whether it may go to a terminal. is_picture: whether people look at it as it is, at one size.
    engines: which of the style's can draw it.
    """

    suffixes: tuple[str, ...]
    render: Callable[[Drawing], str | bytes]
    is_text: bool = True
    is_picture: bool = False
    engines: tuple[str, ...] = ENGINES[:1]


FORMATS = Registry("trex.export.diagrams", "FORMAT", kind=DiagramFormat)


def format_of(path: str | Path) -> str:
    """The name of the format that the file's ending stands for: of ``.node-data.json`` and ``.json`` the longer.

    Raises TrexError when there is none.
    """
    file = Path(path).name.lower()
    own = Path(path).suffix.lower().removeprefix(".")
    if file.count(".") == 1 and own in FORMATS.names and f".{own}" in FORMATS.load(own).value.suffixes:
        return own  # without importing the others
    known = _endings()
    fitting = [ending for ending in known if file.endswith(ending) and file != ending]
    if not fitting:
        what = f"no diagram can be written as {own!r}" if own else "the file name has no ending"
        raise TrexError(what, f"end it in one of {known_endings()}", str(path))
    return known[max(fitting, key=len)]


def _endings() -> dict[str, str]:
    """The format of each ending; what is ours no third party takes away."""
    ours_first = sorted(FORMATS.items(), key=lambda item: item[0] not in FORMATS.names)
    endings: dict[str, str] = {}
    for name, plug in ours_first:
        for suffix in plug.value.suffixes:
            endings.setdefault(suffix, name)
    return endings


def diagram_format(name: str) -> Plug:
    """A format by its name. Raises TrexError for a name that nothing carries, and for one that cannot be loaded."""
    if name not in FORMATS.known_names:
        raise TrexError(f"no diagram can be written as {name!r}", f"one of {', '.join(FORMATS.known_names)}")
    return FORMATS.chosen(name)


def known_endings() -> str:
    return ", ".join(_endings())


def render_diagram(drawing: Drawing, name: str) -> bytes:
    """The content of a file in the format called ``name``. Raises TrexError where the style's engine draws no such."""
    format: DiagramFormat = diagram_format(name).value
    if drawing.style.engine not in format.engines:
        able = ", ".join(name for name, plug in FORMATS.items() if drawing.style.engine in plug.value.engines)
        raise TrexError(
            f"the engine {drawing.style.engine!r} draws no {name.upper()}", f"leave it out, or write one of {able}"
        )
    content = format.render(drawing)
    return content.encode("utf-8", "replace") if isinstance(content, str) else content
