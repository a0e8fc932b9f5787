"""Look: colors and sizes of figures, and what all kinds of figures share: texts, axes, layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

from trex.core.printable import printable
from trex.views.palette import NVDA_GREEN, SAFE_COLORS, UNKNOWN_COLOR, colors_of
from trex.views.plot import Axis, Plot

LONGEST_LABEL = 48
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_BINARY_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


@dataclass(frozen=True, slots=True)
class Look:
    """is_dark: for a dark background. colors: ``familiar`` or ``safe`` (Okabe and Ito's palette).

    width, height: in pixels, None to fill the space.
    """

    is_dark: bool = False
    colors: str = "familiar"
    width: int | None = None
    height: int | None = None

    @property
    def ink(self) -> str:
        return "#e6edf3" if self.is_dark else "#1f2328"

    @property
    def grid(self) -> str:
        return "rgba(139,148,158,0.25)"

    @property
    def paper(self) -> str:
        return "rgba(0,0,0,0)"

    @property
    def background(self) -> str:
        """The color behind the ink."""
        return "#0d1117" if self.is_dark else "#ffffff"

    @property
    def accent(self) -> str:
        return SAFE_COLORS.get("INT8", NVDA_GREEN) if self.colors == "safe" else NVDA_GREEN

    def colors_of(self, plot: Plot, keys: Sequence[str]) -> dict[str, str]:
        """A color for every key, in the order of their first appearance."""
        return self.colors_for(keys, plot.colors)

    def colors_for(self, keys: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
        """The same with the colors given."""
        distinct = list(dict.fromkeys(keys))
        if self.colors == "safe":
            given = {**given, **{key: SAFE_COLORS[key] for key in distinct if key in SAFE_COLORS}}
        return colors_of(distinct, given)


FAMILIAR = Look()


def label(text: object, longest: int = LONGEST_LABEL) -> str:
    """A text from the engine, safe for plotly: no markup, nothing unprintable; a long text loses its middle."""
    return _label(str(text), longest)


@lru_cache(maxsize=65_536)  # charts show the same names again and again
def _label(text: str, longest: int) -> str:
    words = printable(text)
    if len(words) > longest:
        half = (longest - 1) // 2
        words = f"{words[:half]}…{words[-half:]}"
    return words.translate(_HTML)


def whole(text: object) -> str:
    """The same with up to 400 characters, for hover texts."""
    return label(text, 400)


def number(value: float | None) -> float | None:
    """The number, None if it is not finite: JSON has no NaN, and plotly leaves None out."""
    return None if value is None or not isfinite(value) else float(value)


def quantity(value: float | None, unit: str) -> str:
    """The number with its unit; a dash if unknown."""
    if value is None or not isfinite(value):
        return "–"
    if unit == "bytes":
        for step, name in _BINARY_STEPS:
            if abs(value) >= step:
                return f"{value / step:,.1f} {name}" if step > 1 else f"{value:,.0f} B"
        return f"{value:.0f} B"
    if unit == "%":
        return f"{value:.2f} %"
    text = f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:.4g}"
    return f"{text} {unit}".rstrip()


def hover_texts(lines: Mapping[str, Sequence[object]], count: int) -> list[str]:
    """Per mark one text of ``title: value`` lines."""
    columns = [(whole(title), [whole(value) for value in values]) for title, values in lines.items()]
    return ["<br>".join(f"{title}: {values[at]}" for title, values in columns) for at in range(count)]


def axis(axis: Axis, look: Look, **more: Any) -> dict[str, Any]:
    """Layout of an axis of numbers."""
    layout: dict[str, Any] = {
        "title": {"text": label(axis.heading), "standoff": 10},
        "gridcolor": look.grid,
        "zerolinecolor": look.grid,
        "automargin": True,
    }
    if axis.log:
        layout["type"] = "log"
    if axis.unit == "%":
        layout["ticksuffix"] = " %"
    if axis.unit == "bytes":
        layout["tickformat"] = "~s"
    return {**layout, **more}


def shading(values: Sequence[float | None], axis: Axis | None) -> dict[str, Any]:
    """Colors of marks by numbers, with a scale; gray for unknown numbers, and no scale if all are unknown."""
    numbers = [number(value) for value in values]
    if not any(value is not None for value in numbers):
        return {"color": UNKNOWN_COLOR}
    shades = [UNKNOWN_COLOR if value is None else value for value in numbers]
    bar: dict[str, Any] = {"thickness": 14}
    if axis:  # at the side of the scale, a long title takes no space from the marks
        bar["title"] = {"text": label(axis.heading), "side": "right"}
    return {"color": shades, "colorscale": "Viridis", "showscale": True, "colorbar": bar}


def named_ticks(names: Sequence[str], shown: bool, most: int = 60) -> dict[str, Any]:
    """Ticks of an axis of names; none if there are too many to read."""
    if not shown or len(names) > most:
        return {"showticklabels": False}
    return {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": [label(name, 32) for name in names]}


def layout_of(plot: Plot, look: Look, **more: Any) -> dict[str, Any]:
    """The layout that all figures share."""
    title = label(plot.title, 90)
    if plot.note:
        title += f"<br><sup>{label(plot.note, 160)}</sup>"
    return {
        "title": {"text": title, "x": 0.02, "xanchor": "left"},
        "font": {"color": look.ink, "family": "system-ui, sans-serif", "size": 12},
        "paper_bgcolor": look.paper,
        "plot_bgcolor": look.paper,
        "margin": {"l": 60, "r": 20, "t": 64, "b": 50},
        "hoverlabel": {"align": "left", "namelength": -1},
        "legend": {"itemsizing": "constant"},
        **({"width": look.width} if look.width else {}),
        **({"height": look.height} if look.height else {}),
        **more,
    }
