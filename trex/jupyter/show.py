"""Figures, tables and HTML → the cell that runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trex.core.errors import missing_extra
from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.jupyter.highlights import Highlights

if TYPE_CHECKING:
    import pandas as pd

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
    show(figure)
    return shown_once(figure)


def shown_once(figure: Any) -> Any:
    """A plotly figure that this cell has displayed: as the cell's result it is not displayed a second time."""
    figure._ipython_display_ = shown_in_this_cell(figure._ipython_display_)
    return figure


def shown_in_this_cell(display: Callable[[], Any]) -> Callable[[], Any]:
    """``display``, silent in the cell that runs now, where the object has been displayed already."""
    cell = _cell()

    def display_elsewhere() -> None:
        if cell is None or _cell() != cell:
            display()

    return display_elsewhere


def _cell() -> int | None:
    """The number of the cell that runs; None outside of notebooks."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    shell = get_ipython()
    return None if shell is None else shell.execution_count


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
    left = "" if len(frame) <= most_rows else f"<p>{most_rows} of {len(frame):,} rows; df.iloc[a:b] shows others</p>"
    return f'<div class="trex-rows" style="max-height:520px;overflow:auto">{_TABLE_STYLE}{body}</div>{left}'


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
    """Shows the table by dtale, which starts a server on this machine. Raises TrexError naming the extra without it."""
    try:
        import dtale
        from dtale import global_state
    except ImportError as error:
        raise missing_extra("dtale", "notebook", "showing tables by dtale") from error
    global_state.set_app_settings({"max_column_width": 600})
    settings = {"nan_display": nan_display, "precision": precision, "range_highlights": range_highlights, **options}
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
