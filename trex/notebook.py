"""What notebooks call: headings, wide cells, and tables by whatever shows them.

Differs from NVIDIA's TREx: tables are shown as HTML unless you choose dtale, which starts a server:
``set_table_display_backend(display_df_dtale)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.jupyter.magic import register
from trex.jupyter.show import Tables, dtale_table, header_html, show, show_html, table_html, wide_html

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "display",
    "display_df",
    "display_df_dtale",
    "display_df_html",
    "load_magic",
    "section_header",
    "set_table_display_backend",
    "set_wide_display",
    "table_display_backend",
]


def display(*shown: Any, **options: Any) -> Any:
    """IPython's ``display``. Raises TrexError naming the extra without IPython."""
    return show(*shown, **options)


def section_header(title: str) -> None:
    """Shows a heading."""
    show_html(header_html(title))


def set_wide_display(width_pct: float = 90) -> None:
    """Lets the notebook use so many percent of the window's width."""
    show_html(wide_html(width_pct))


def display_df_html(df: pd.DataFrame, **kwargs: Any) -> None:
    """Shows a table as HTML: no server, no script. Further arguments are for other backends and have no effect."""
    show_html(table_html(df))


display_df_dtale = dtale_table


def set_table_display_backend(backend: Callable[..., Any]) -> None:
    """From now on, ``display_df`` and the report card show tables by ``backend(df, **kwargs)``."""
    Tables.backend = backend


def table_display_backend(df: pd.DataFrame, **kwargs: Any) -> Any:
    """Shows a table by the backend that is set now."""
    return Tables.show(df, **kwargs)


def display_df(df: pd.DataFrame, **kwargs: Any) -> Any:
    """Shows a table; a backend that does not take the arguments is called without them."""
    return Tables.show(df, **kwargs)


def load_magic(shell: Any) -> None:
    """Adds ``%trex summary PATH`` and the other commands that only read to an IPython shell; ``%load_ext trex``."""
    from trex.cli.main import document_of

    register(shell, document_of)


__getattr__ = _reexported(__name__)
