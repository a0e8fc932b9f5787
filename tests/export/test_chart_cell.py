"""A chart for exported notebooks: its data cannot end its element, and the first one holds the library."""

from __future__ import annotations

import re

import pytest

from trex.export.chart_cell import chart_html

FIGURE = {"data": [{"x": ["</script>"], "y": [1]}], "layout": {"title": {"text": "</div><b>t"}, "height": 300}}


def test_nothing_of_the_figure_is_markup_and_no_address_is_asked() -> None:
    html = chart_html(FIGURE, 2, with_library=False)
    assert "</div><b>" not in html and html.count("</script>") == 2 and "min-height:300px" in html
    assert not re.search(r"https?:|//cdn|src=", html)
    assert html == chart_html(FIGURE, 2, with_library=False) != chart_html(FIGURE, 3, with_library=False)


def test_the_first_chart_holds_the_library() -> None:
    pytest.importorskip("plotly")
    html = chart_html(FIGURE, 1, with_library=True)
    assert html.count('class="trex-plotly"') == 1 and len(html) > 500_000
