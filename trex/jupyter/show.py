"""Figures, tables and HTML → the cell that runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from trex.core.errors import missing_extra
from trex.core.printable import printable
from trex.core.provenance import STATEMENT
from trex.export.escape import xml_text
from trex.jupyter.highlights import Highlights

if TYPE_CHECKING:
    import pandas as pd

PLOTLY = "application/vnd.plotly.v1+json"
_JUPYTER = {"plotly_mimetype", "jupyterlab", "nteract", "notebook"}
"""Renderers that plotly chooses by itself where Jupyter draws its data."""
MOST_ROWS = 200
LETTERS_OF_A_LINE = 104
_TABLE_STYLE = (
    "<style>.trex-rows :is(td, th) { text-align: left !important }"
    " .trex-rows thead th { position: sticky; top: 0; background: var(--jp-layout-color0, #fff) }</style>"
)


def line_width() -> int | None:
    """Letters that fit into a line of a cell; None where no notebook runs, which IPython need not be loaded to know."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return LETTERS_OF_A_LINE if hasattr(shell, "kernel") else None


def show(*shown: Any, **options: Any) -> Any:
    """Displays objects as the notebook does; outside of one, IPython prints them. options: those of its ``display``."""
    try:
        from IPython.display import display
    except ImportError as error:
        raise missing_extra("IPython", "notebook", "showing something in a notebook") from error
    return display(*shown, **options)  # type: ignore[no-untyped-call]


def show_html(markup: str) -> None:
    """Displays HTML that holds nothing unescaped."""
    try:
        from IPython.display import HTML, display
    except ImportError as error:
        raise missing_extra("IPython", "notebook", "showing something in a notebook") from error
    display(HTML(markup))  # type: ignore[no-untyped-call]


def show_figure(figure: Any) -> Any:
    """Displays a plotly figure and returns it; a cell that ends with the call does not display it once more."""
    ShownCharts.show(figure)
    return shown_once(figure)


def shown_once(figure: Any) -> Any:
    """A plotly figure that this cell has displayed: as the cell's result it is not displayed a second time."""
    figure._ipython_display_ = shown_in_this_cell(partial(ShownCharts.show, figure))
    return figure


class ShownCharts:
    """Figures of this notebook as plotly data for Jupyter, and as HTML for pages that it is exported to.

    number: how many were shown. holder: the cell whose first chart holds plotly.js for all; it is written again when
    that cell runs again.
    """

    number = 0
    holder: str | None = None

    @classmethod
    def show(cls, figure: Any) -> None:
        """Displays the figure; by plotly alone outside of notebooks, by the renderer that a user chose, in menus."""
        from plotly.io import renderers

        if line_width() is None or set(renderers.default.split("+")) - _JUPYTER or _is_captured():
            show(figure)
            return
        from trex.export.chart_cell import chart_html, plain_figure

        cell = _cell_id()
        is_holder = cls.holder is None or (bool(cell) and cls.holder == cell)
        cls.holder, cls.number = (cell if is_holder else cls.holder), cls.number + 1
        plain = plain_figure(figure)
        show({PLOTLY: plain, "text/html": chart_html(plain, cls.number, is_holder)}, raw=True)


def _is_captured() -> bool:
    """What a menu shows belongs to the menu, which needs a kernel."""
    shell = _shell()
    return type(getattr(shell, "display_pub", None)).__name__ == "CapturingDisplayPublisher"


def _cell_id() -> str:
    """What JupyterLab and Notebook call the cell that runs; empty elsewhere."""
    kernel = getattr(_shell(), "kernel", None)
    parent = {} if kernel is None else kernel.get_parent()
    return str((parent.get("metadata") or {}).get("cellId") or "")


def shown_in_this_cell(display: Callable[[], Any]) -> Callable[[], Any]:
    """``display``, silent in the cell that runs now, where the object has been displayed already."""
    cell = _cell()

    def display_elsewhere() -> None:
        if cell is None or _cell() != cell:
            display()

    return display_elsewhere


def _cell() -> int | None:
    """The number of the cell that runs; None outside of notebooks."""
    shell = _shell()
    return None if shell is None else shell.execution_count


def _shell() -> Any:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def table_html(frame: pd.DataFrame, most_rows: int = MOST_ROWS, range_highlights: Any = None) -> str:
    """A table that scrolls, its head always in sight; beyond so many rows, the first and the last of them.

    range_highlights: {column: ranges of numbers with their colors}, as ``speedup_range_highlights`` makes them.
    """
    shown = frame.copy()
    shown.columns = [printable(str(name)) for name in frame.columns]
    colors = Highlights(range_highlights or {})
    body = shown.to_html(
        escape=True,
        max_rows=most_rows,
        border=0,
        float_format=lambda value: f"{value:.4g}",
        formatters={name: colors.formatter(name) for name in shown.columns if colors.has(name)},
    )
    body = colors.painted(body)
    numbers = _number_columns(shown)
    kind = "".join(f" n{number}" for number in numbers)
    rule = ", ".join(f".trex-rows.n{number} :is(td, th):nth-child({number})" for number in numbers)
    style = f"<style>{rule} {{ text-align: right !important }}</style>" if rule else ""
    statement = frame.attrs.get(STATEMENT)
    foot = f"<p>{xml_text(str(statement))}</p>" if statement else ""
    left = "" if len(frame) <= most_rows else f"<p>{most_rows} of {len(frame):,} rows; df.iloc[a:b] shows others</p>"
    box = f'<div class="trex-rows{kind}" style="max-height:520px;overflow:auto">'
    return f"{box}{_TABLE_STYLE}{style}{body}</div>{left}{foot}"


def _number_columns(frame: pd.DataFrame) -> list[int]:
    """Positions of the columns of numbers among the cells of a row, from 1; none where rows have several headings."""
    if frame.index.nlevels > 1 or frame.columns.nlevels > 1:
        return []
    return [number for number, kind in enumerate(frame.dtypes, 2) if kind.kind in "if"]


class Tables:
    """Who shows tables: ours, which needs no server, unless the user sets another."""

    backend: Callable[..., Any] | None = None

    @classmethod
    def show(cls, frame: pd.DataFrame, **options: Any) -> Any:
        """Shows the table; a backend that does not take the options is called without them."""
        backend = cls.backend
        if backend is None:
            show_html(table_html(frame, range_highlights=options.get("range_highlights")))
            return None
        try:
            return backend(frame, **options)
        except TypeError:
            if not options:
                raise
            return backend(frame)


def dtale_table(
    frame: pd.DataFrame, range_highlights: Any = None, nan_display: str = "...", precision: int = 4, **options: Any
) -> Any:
    """Shows the table by dtale, which starts a server on this machine, for this machine alone unless ``host`` is given.

    Raises TrexError naming the extra without it.
    """
    try:
        import dtale
        from dtale import global_state
    except ImportError as error:
        raise missing_extra("dtale", "dtale", "showing tables by dtale") from error
    global_state.set_app_settings({"max_column_width": 600})
    settings = {"nan_display": nan_display, "precision": precision, "range_highlights": range_highlights}
    settings = {"host": "localhost", **settings, **options}
    wanted = {key: value for key, value in settings.items() if value is not None}
    flat = frame.copy()
    flat.columns = [str(name) for name in frame.columns]
    for name in flat.columns:
        if flat[name].dtype == object:
            flat[name] = [
                value if isinstance(value, str | int | float) or value is None else str(value) for value in flat[name]
            ]
    table = dtale.show(flat, **wanted)
    show(table)
    return table


def header_html(title: str) -> str:
    """A heading across the cell."""
    style = "margin:12px 0 6px;padding:6px 12px;border-left:6px solid #76b900;font-weight:700;font-size:1.3em"
    return f'<div style="{style}">{xml_text(printable(title))}</div>'


def wide_html(width_pct: float) -> str:
    """Style that makes the notebook use so much of the window's width."""
    width = max(10.0, min(100.0, float(width_pct)))
    return (
        f"<style>.container, .jp-Notebook {{ width: {width:g}% !important; max-width: {width:g}% !important; }}</style>"
    )
