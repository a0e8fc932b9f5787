"""A plotly figure → HTML of a notebook's cell, for pages that notebooks are exported to: drawn without a network."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import Any

from trex.export.block_html import text
from trex.export.offline_page import packed_data, packed_plotly

_HEIGHT = 450
_DRAW = """\
(() => {
  const unpacked = async element => {
    const bytes = Uint8Array.from(atob(element.textContent), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const library = () => window.Plotly ?? (window.trexPlotly ??= (async () => {
    const packed = document.querySelector("script.trex-plotly");
    if (!packed) throw new Error("the first chart of the notebook holds what draws them: run its cell, too");
    const script = document.createElement("script");
    // A page with require.js would take it for a module.
    script.textContent = `(function (define, module, exports) {${await unpacked(packed)}\\n}).call(window);`;
    document.head.append(script);
    return window.Plotly;
  })());
  const place = document.getElementById("PLACE");
  (async () => {
    const figure = JSON.parse(await unpacked(place.querySelector("script")));
    const plotly = await library();
    place.replaceChildren();
    await plotly.newPlot(place, figure.data, figure.layout, {responsive: true, displaylogo: false});
  })().catch(error => { place.textContent = error.message; });
})();
"""


def chart_html(figure: dict[str, Any], number: int, with_library: bool) -> str:
    """A place, the packed figure and the script that draws it. figure: data and layout.

    number: of the chart in its notebook. with_library: the first chart of a notebook holds plotly.js for all. Raises
    TrexError naming the extra when plotly is not installed.
    """
    packed = packed_data({"data": figure.get("data", []), "layout": figure.get("layout", {})})
    element = f"trex-chart-{number}-{sha256(packed).hexdigest()[:8]}"
    layout = figure.get("layout", {})
    title = str((layout.get("title") or {}).get("text") or "chart")
    height = int(layout.get("height") or _HEIGHT)
    library = f'<script type="text/plain" class="trex-plotly">{_library()}</script>\n' if with_library else ""
    return (
        f'{library}<div id="{element}" role="img" aria-label="{text(title)}" style="min-height:{height}px">'
        f'<script type="text/plain">{packed.decode()}</script></div>\n'
        f"<script>{_DRAW.replace('PLACE', element)}</script>\n"
    )


@cache
def _library() -> str:
    return packed_plotly().script.decode()


def plain_figure(figure: Any) -> dict[str, Any]:
    """A plotly figure as JSON has it."""
    result: dict[str, Any] = json.loads(figure.to_json())
    return result
