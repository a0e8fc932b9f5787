"""Groups of charts, tables of layers and graphs → what notebook cells show of the report card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trex.core.options import option_fields
from trex.export.figures.figure import figure_of
from trex.jupyter.drawn_graph import draw_plan
from trex.jupyter.pickers import Picker, widgets
from trex.jupyter.show import Tables, show, show_figure, shown_in_this_cell
from trex.jupyter.shown_within import shown_within
from trex.plan.engine_plan import EnginePlan
from trex.plan.frames import for_display
from trex.views.chart import Chart, Subject, charts_of
from trex.views.diagram.coloring import coloring_names
from trex.views.diagram.style import LATENCY_TYPES, DiagramStyle, group_choices

if TYPE_CHECKING:
    import plotly.graph_objects as go

Charts = dict[str, Callable[..., Any]]

HEIGHT = 640
# Each preset of the simple picker, as keywords of ``trex.draw``.
PRESETS: dict[str, dict[str, Any]] = {
    "Layers by type": {},
    "Layers by precision": {"color_by": "precision"},
    "Layers by time": {"color_by": "latency"},
    "Memory between layers": {"display_regions": True},
    "Types only": {"display_layer_names": False, "display_latency": False, "display_metadata": False},
}


def charts(subject: Subject, *groups: str) -> Charts:
    """{title: what shows the chart and returns its figure}, in the order of the report, those of other packages too."""
    return {chart.title: partial(show_chart, chart, subject) for group in groups for chart in charts_of(group)}


def show_chart(chart: Chart, subject: Subject, title: str = "", do_show: bool = True) -> go.Figure:
    """Shows one chart, or the sentence that says why there is none, and returns its figure.

    title: of the figure in place of the chart's. do_show: False only returns the figure.
    """
    figure = figure_of(replace(chart, title=title or chart.title).plot(subject))
    return show_figure(figure) if do_show else figure


def picker(choices: Charts, description: str) -> Picker:
    """A menu of charts or tables."""
    return Picker(lambda choice: choices[choice](), choices, description)


def tables(plan: EnginePlan) -> Charts:
    """{type of layers: what shows their table}, all layers first."""
    frame = plan.df
    menu: Charts = {"All": lambda: Tables.show(for_display(frame))}
    for kind in dict.fromkeys(name for name in frame["type"] if isinstance(name, str)):
        menu[f"type {kind}" if kind in menu else kind] = partial(_typed, plan, kind)
    return menu


def _typed(plan: EnginePlan, kind: str) -> Any:
    return Tables.show(for_display(plan.get_layers_by_type(kind)))


def graphs(plan: EnginePlan) -> Charts:
    """{preset: what shows the graph so}."""
    return {name: partial(_drawn, plan, options) for name, options in PRESETS.items()}


def _drawn(plan: EnginePlan, options: Mapping[str, Any]) -> None:
    show(draw_plan(plan, HEIGHT, options))


class GraphChooser:
    """The graph with switches for everything that a diagram can show, and a button that saves it.

    name: of the files that are written, ``<name>.svg`` and ``<name>.onnx``.
    """

    def __init__(self, plan: EnginePlan, name: str) -> None:
        library = widgets()
        self.plan, self.name = plan, name
        self.switches = {
            field.name: library.Checkbox(value=field.default, description=field.name.replace("_", " "), indent=False)
            for field in option_fields(DiagramStyle)
            if field.is_switch
        }
        self.menus = {
            "color_by": library.Dropdown(options=coloring_names(), value="type", description="color by"),
            "latency_type": library.Dropdown(options=LATENCY_TYPES, value="avg_time", description="time"),
            "group_by": library.Dropdown(options=group_choices(), value="auto", description="groups"),
        }
        self.output = library.Output()
        buttons = []
        for words, run in (("Draw", self.draw), ("Save SVG", self.save_svg), ("Save ONNX", self.save_onnx)):
            button = library.Button(description=words)
            button.on_click(lambda _, run=run: self._run(run))
            buttons.append(button)
        grid = library.GridBox(
            list(self.switches.values()), layout=library.Layout(grid_template_columns="repeat(3, 240px)")
        )
        menus = library.HBox(list(self.menus.values()))
        self._run(self.draw)
        self.box = library.VBox([grid, menus, library.HBox(buttons), self.output])
        show(self.box)
        self._ipython_display_ = shown_in_this_cell(lambda: show(self.box))

    @property
    def options(self) -> dict[str, Any]:
        """What is switched on, as keywords of ``trex.draw``."""
        return {name: widget.value for name, widget in {**self.switches, **self.menus}.items()}

    def draw(self) -> None:
        show(draw_plan(self.plan, HEIGHT, self.options))

    def save_svg(self) -> None:
        self._save(".svg")

    def save_onnx(self) -> None:
        self._save(".onnx")

    def _save(self, suffix: str) -> None:
        drawn = draw_plan(self.plan, HEIGHT, self.options)
        show(str(drawn.save(self.name + suffix)))

    def _run(self, run: Callable[[], None]) -> None:
        shown_within(self.output, run)
