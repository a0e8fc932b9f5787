"""Parts of a page → one offline file: style, script, charts and packed data around the content."""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

from trex.core.errors import missing_extra
from trex.export.block_html import text
from trex.export.figures.figure import described
from trex.export.figures.look import Look
from trex.export.frame import plain_value
from trex.views.plot import Empty, Plot, Tree

_FIELD = re.compile(r"\{\{(\w+)\}\}")
_LEVEL = 6
_PIECE = 1 << 16
_GZIP = 31
"""zlib's number for the format of gzip."""
# A chart with more marks would keep the browser busy.
MOST_MARKS = 20_000
# A browser takes some 5 ms for each leaf of a sunburst, whose texts are turned, and 0.3 ms for one of another tree.
MOST_LEAVES = {"sunburst": 500, "treemap": 2_000, "icicle": 2_000}

Figure = dict[str, Any] | Empty


@dataclass(frozen=True)
class OfflinePage:
    """header, navigation, content: HTML in which nothing is unescaped. figures: plotly's, by the name of their chart.

    packed: {id: packed data} that scripts unpack. scripts, styles: names of files in ``page``. kind: attributes of the
    body.
    """

    title: str
    header: str
    navigation: str
    content: Sequence[str]
    scripts: Sequence[str]
    styles: Sequence[str]
    figures: PackedObject = field(default_factory=lambda: PackedObject())
    packed: Mapping[str, bytes] = field(default_factory=dict)
    kind: str = ""

    def render(self) -> bytes:
        """The same for the same content. Raises TrexError naming the extra when plotly is needed and absent.

        In pieces that are joined once: packed data is most of a page, and a text of it takes several times its size.
        """
        packed = dict(self.packed)
        if self.figures:
            packed |= {"data-figures": self.figures.done(), "data-plotly": packed_plotly().script}
        fields: dict[str, Iterable[str | bytes]] = {
            "title": (text(self.title),),
            "style": (_piece(f"{name}.css") for name in self.styles),
            "header": (self.header,),
            "navigation": (self.navigation,),
            "kind": (self.kind,),
            "content": self.content,
            "license": (_license(),) if self.figures else (),
            "packed": (
                piece
                for name, data in packed.items()
                for piece in (f'<script type="text/plain" id="{text(name)}">', data, "</script>\n")
            ),
            "script": (
                '(() => {\n"use strict";\n',
                "\n".join(_piece(f"{name}.js") for name in self.scripts),
                "\n})();\n",
            ),
        }
        frame = _FIELD.split(_piece("page.html"))  # texts and names of fields in turn
        pieces = (piece for number, part in enumerate(frame) for piece in (fields[part] if number % 2 else (part,)))
        return b"".join(piece.encode("utf-8", "replace") if isinstance(piece, str) else piece for piece in pieces)


def page_figure(plot: Plot | Empty, look: Look) -> Figure:
    """The chart for the page's script, or why it is not drawn."""
    if isinstance(plot, Empty):
        return plot
    figure = described(plot.folded(MOST_LEAVES[plot.kind]) if isinstance(plot, Tree) else plot, look)
    marks = sum(len(trace.get("x") or trace.get("values") or ()) for trace in figure["data"])
    if marks > MOST_MARKS:
        return Empty(f"{marks:,} marks are too many for a browser", "-o x.json contains the numbers")
    # The page has the title as text, where people can search for it.
    return {**figure, "layout": {**figure["layout"], "title": {"text": ""}}}


@dataclass(frozen=True, slots=True)
class PackedPlotly:
    """script: of the installed package, packed. notice: of its authors, from the script's head."""

    script: bytes
    notice: str


@cache
def packed_plotly() -> PackedPlotly:
    """Raises TrexError naming the extra when plotly is not installed.

    Packed in pieces: the whole script as text takes 10 MB, and as much again while it is packed.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise missing_extra("plotly", "report", "a page with charts") from error
    try:
        file = (files("plotly") / "package_data" / "plotly.min.js").open("rb")
    except OSError:
        file = BytesIO(get_plotlyjs().encode())
    stream = zlib.compressobj(_LEVEL, wbits=_GZIP)
    with file:
        head = file.read(_PIECE)
        pieces = [stream.compress(head)]
        while piece := file.read(_PIECE):
            pieces.append(stream.compress(piece))
    notice = re.match(r"\s*/\*.*?\*/", head.decode("utf-8", "replace"), re.DOTALL)
    script = base64.b64encode(b"".join((*pieces, stream.flush())))
    return PackedPlotly(script, notice[0].strip() if notice else "")


def packed_text(text: str) -> bytes:
    """Letters, digits and ``+/=`` only, so that nothing in it can end an element. The same for the same text."""
    return packed(text.encode("utf-8", "replace"))


def packed(data: bytes) -> bytes:
    """The bytes, packed in the same way."""
    return base64.b64encode(gzip.compress(data, _LEVEL, mtime=0))


def packed_data(data: Any) -> bytes:
    """JSON of the data, packed; NaN and infinities become null."""
    return packed(_json(data))


def _json(data: Any) -> bytes:
    import orjson

    try:
        return orjson.dumps(data)
    except TypeError:  # half a surrogate pair, a number beyond 64 bits, a key that is no text
        text = json.dumps(plain_value(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8", "replace")


class PackedObject:
    """A JSON object that is packed while its entries come, so that a page's charts are never in memory all at once."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(_LEVEL, wbits=_GZIP)
        self._packed = bytearray()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, name: str, value: Any) -> None:
        """Adds an entry; names are unique."""
        self._packed += self._stream.compress(
            b"".join((b"," if self._count else b"{", _json(name), b":", _json(value)))
        )
        self._count += 1

    def done(self) -> bytes:
        """The whole object as ``packed_data`` writes it. Nothing can be added after that."""
        self._packed += self._stream.compress(b"}" if self._count else b"{}") + self._stream.flush()
        return base64.b64encode(self._packed)


def _license() -> str:
    """The notice of plotly.js and the text of its license, as in the installed package."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import files as files_of

    parts = [packed_plotly().notice] if packed_plotly().notice else []
    try:
        texts = [file for file in files_of("plotly") or () if file.name.upper().startswith("LICENSE")]
        parts += [file.read_text(encoding="utf-8").strip() for file in texts[:1]]
    except (PackageNotFoundError, OSError):
        pass  # the notice names the license
    words = "\n".join(text(line) for line in "\n\n".join(parts).split("\n"))
    return f"<footer><details><summary>plotly.js and its license</summary><pre>{words}</pre></details></footer>\n"


@cache
def _piece(name: str) -> str:
    return (files("trex.export") / "page" / name).read_text(encoding="utf-8")
