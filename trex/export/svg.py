"""Scene → SVG: one self-contained, searchable file with tooltips; no script, no font, no link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil

from trex.core.collector import collector_paused
from trex.export.escape import xml_text
from trex.views.diagram.colors import FRAME_COLOR, HOT_COLOR, TIME_COLOR
from trex.views.diagram.columns import COLUMN_GAP, DiagramColumn, fold_into_columns
from trex.views.diagram.frames import Frame
from trex.views.diagram.labels import PADDING, TEXT_SIZE, TITLE_SIZE, WIRE_TEXT_SIZE
from trex.views.diagram.legend import Legend, LegendEntry
from trex.views.diagram.lettering import elided, text_width
from trex.views.diagram.routes import Path as WirePath
from trex.views.diagram.scene import BAR_HEIGHT, BODY_PADDING, HEAD_HEIGHT, LINE_HEIGHT, Box, Caption, Scene, Wire
from trex.views.palette import ink_on

MARGIN = 24
LEAST_WIDTH = 560
_LEGEND_LINE = 18
_WIDEST_FACTS = 1000
_FACTS_SIZE = 13
_FACT_LINE = 17
_SEPARATOR = " · "
# Above and below columns, where they say that the graph goes on.
_BREAK_LINE = 20

_ARROW = (
    'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"'
)
_CSS = f"""
text{{font-family:Helvetica,Arial,"Liberation Sans",sans-serif;font-size:{TEXT_SIZE}px;fill:#222}}
.t{{font-size:19px;font-weight:bold}}
.f,.g{{fill:#555}}
.f{{font-size:{_FACTS_SIZE}px}}
.g{{font-weight:bold}}
.k{{font-size:{TITLE_SIZE}px;font-weight:bold}}
.b{{text-anchor:end}}
.r{{fill:#8a1c1c}}
.o{{fill:#666}}
.c text{{font-size:{WIRE_TEXT_SIZE}px;fill:#444}}
.n rect.p{{fill:#fff;stroke:#8b949e}}
.n rect.q{{fill:#fff;stroke:#8b949e;stroke-dasharray:4 3}}
.d{{fill:none;stroke:#8b949e}}
.h{{fill:none;stroke:#d6009a;stroke-width:4px}}
.z path{{fill:none;stroke:{HOT_COLOR};stroke-width:9px;stroke-opacity:.45}}
.w path{{fill:none;stroke-width:2px}}
.e rect{{fill:#7f95b2;fill-opacity:.07;stroke:{FRAME_COLOR}}}
.j{{stroke:#8b949e;stroke-dasharray:5 5}}
.i{{font-style:italic;fill:#555}}
.l text{{fill:#44546a;font-weight:bold;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}}
"""


def render_svg(scene: Scene) -> str:
    """The scene as an SVG document. Valid XML whatever the names are; white paper, so it reads on dark pages too."""
    with collector_paused():
        return "".join(_document(scene))


def _document(scene: Scene) -> Iterator[str]:
    words_width = min(_WIDEST_FACTS, ceil(text_width(_SEPARATOR.join(scene.facts), _FACTS_SIZE)) + 2 * MARGIN)
    columns = fold_into_columns(scene)
    drawn_width, drawn_height = _size(scene, columns)
    width = max(LEAST_WIDTH, drawn_width + 2 * MARGIN, words_width)
    facts = _fact_lines(scene.facts, width - 2 * MARGIN)
    more = _FACT_LINE * (len(facts) - 1)
    legend, legend_height = _legend(scene.legend, width, 66 + more)
    head = 74 + more + legend_height
    height = head + drawn_height + MARGIN
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
    yield f"<title>{xml_text(scene.title)}</title>\n<style>{_CSS}</style>\n"
    colors = sorted({wire.color for wire in scene.wires})
    yield "<defs>\n"
    for number, color in enumerate(colors):
        yield f'<marker id="a{number}" {_ARROW}><path d="M0 0.5L8 4L0 7.5z" fill="{xml_text(color)}"/></marker>\n'
    yield '</defs>\n<rect width="100%" height="100%" fill="#fff"/>\n'
    title = elided(scene.title, (width - 2 * MARGIN) * 0.92, 19)
    yield f'<text class="t" x="{MARGIN}" y="36">{xml_text(title)}</text>\n'
    for number, line in enumerate(facts):
        yield f'<text class="f" x="{MARGIN}" y="{57 + number * _FACT_LINE}">{xml_text(line)}</text>\n'
    yield f'<g id="legend">\n{legend}</g>\n'
    shift = MARGIN + max(0, (width - 2 * MARGIN - drawn_width) // 2)
    yield f'<g id="graph" transform="translate({shift} {head})">\n'
    if columns:
        yield from _columns(columns, colors)
    else:
        yield from _frames(tuple(enumerate(scene.frames)))
        yield from _contents(scene, colors)
        yield from _frame_titles(scene.frames)
    yield "</g>\n</svg>\n"


def _size(scene: Scene, columns: Sequence[DiagramColumn]) -> tuple[int, int]:
    """Width and height of the diagram, in columns where there are some."""
    if not columns:
        return round(scene.width), round(scene.height)
    width = sum(column.width for column in columns) + COLUMN_GAP * (len(columns) - 1)
    return ceil(width), ceil(max(column.height for column in columns)) + 2 * _BREAK_LINE


def _contents(part: Scene | DiagramColumn, colors: list[str]) -> Iterator[str]:
    passing = part.passing if isinstance(part, DiagramColumn) else ()
    yield from _wires([*((wire, False) for wire in passing), *((wire, True) for wire in part.wires)], colors)
    yield from _captions(part.captions)
    yield '<g class="n">\n'
    for box in part.boxes:
        yield _box(box)
    yield "</g>\n"


def _columns(columns: Sequence[DiagramColumn], colors: list[str]) -> Iterator[str]:
    """Columns from left to right; what goes on is cut off at a dashed line, and its frames are named again."""
    x = 0.0
    last = len(columns) - 1
    for number, column in enumerate(columns):
        left, top, width, height = column.left, column.top, column.width, column.height
        yield f'<g transform="translate({x - left:.0f} {_BREAK_LINE - top:.0f})">\n'
        rectangle = f'x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}"'
        yield f'<clipPath id="c{number}"><rect {rectangle}/></clipPath>\n<g clip-path="url(#c{number})">\n'
        yield from _frames([(None, frame) for frame in column.continued])
        yield from _frames(column.frames)
        yield from _contents(column, colors)
        yield from _frame_titles([frame for _, frame in column.frames])
        yield from _frame_titles(column.continued[:1], column.top)
        yield "</g>\n"
        if number:
            yield _break(column, top, top - 6, "← from the column before")
        if number < last:
            yield _break(column, column.bottom, column.bottom + 14, "goes on in the next column →")
        yield "</g>\n"
        x += width + COLUMN_GAP


def _break(column: DiagramColumn, y: float, text_y: float, words: str) -> str:
    line = f'<path class="j" d="M{column.left:.0f} {y:.0f}H{column.right:.0f}"/>'
    return f'{line}<text class="i" x="{column.left + 4:.0f}" y="{text_y:.0f}">{words}</text>\n'


# ----------------------------------------------------------------------------------------------------------------- head


def _fact_lines(facts: Sequence[str], width: float) -> list[str]:
    """The facts, as many on a line as fit; at least one line."""
    lines = [""]
    for fact in facts:
        line = f"{lines[-1]}{_SEPARATOR}{fact}" if lines[-1] else fact
        if lines[-1] and text_width(line, _FACTS_SIZE) > width:
            lines.append(fact)
        else:
            lines[-1] = line
    return lines


def _legend(legend: Legend, width: int, top: int) -> tuple[str, int]:
    """The legend's elements below ``top``, in as many lines as the width asks for, and their height."""
    parts: list[str] = []
    y = 0
    for group in legend:
        y += _LEGEND_LINE
        parts.append(f'<text class="g" x="{MARGIN}" y="{top + y}">{xml_text(group.title)}</text>\n')
        first = MARGIN + 150
        x = first
        for entry in group.entries:
            space = 26 + text_width(entry.text, TEXT_SIZE) + 16
            if x + space > width - MARGIN and x > first:
                x = first
                y += _LEGEND_LINE
            parts.append(_legend_entry(entry, x, top + y))
            x += round(space)
    return "".join(parts), y + (10 if parts else 0)


def _legend_entry(entry: LegendEntry, x: int, y: int) -> str:
    color = xml_text(entry.color)
    if entry.shape == "box":
        mark = f'<rect x="{x}" y="{y - 9}" width="18" height="11" rx="2" fill="{color}" stroke="#8b949e"/>'
    elif entry.shape == "frame":
        mark = f'<rect x="{x}" y="{y - 9}" width="18" height="11" rx="3" fill="none" stroke="{color}"/>'
    elif entry.shape == "bar":
        mark = f'<rect x="{x}" y="{y - 6}" width="18" height="4" fill="{color}"/>'
    elif entry.shape == "path":
        mark = f'<rect x="{x}" y="{y - 8}" width="18" height="9" fill="{color}" fill-opacity=".45"/>'
    else:
        dash = ' stroke-dasharray="5 3"' if entry.shape == "dashed wire" else ""
        mark = f'<path d="M{x} {y - 4}h18" stroke="{color}" stroke-width="2.5"{dash}/>'
    return f'{mark}<text x="{x + 24}" y="{y}">{xml_text(entry.text)}</text>\n'


# ---------------------------------------------------------------------------------------------------------------- graph


def _frames(frames: Sequence[tuple[int | None, Frame]]) -> Iterator[str]:
    """Frames around others come first, so that each is darker than the one around it. Those that began in another
    column have no number."""
    if not frames:
        return
    yield '<g class="e">\n'
    for number, frame in frames:
        own = "" if number is None else f'id="f{number}" '
        position = f'x="{frame.x:.0f}" y="{frame.y:.0f}" width="{frame.width:.0f}" height="{frame.height:.0f}"'
        yield f'<rect {own}{position} rx="6"><title>{xml_text(frame.tooltip)}</title></rect>\n'
    yield "</g>\n"


def _frame_titles(frames: Sequence[Frame], top: float | None = None) -> Iterator[str]:
    """Above the wires that cross the border. top: where frames go on that began further up."""
    if not frames:
        return
    yield '<g class="l">\n'
    for frame in frames:
        title = elided(frame.title, (frame.width - 2 * PADDING) * 0.9, TEXT_SIZE)
        y = (frame.y if top is None else top) + 15
        yield f'<text x="{frame.title_x:.0f}" y="{y:.0f}">{xml_text(title)}</text>\n'
    yield "</g>\n"


def _wires(wires: Sequence[tuple[Wire, bool]], colors: list[str]) -> Iterator[str]:
    """Wires of one look share a group, which states it once; the hottest path lies under them.

    wires: each with whether it ends in an arrow.
    """
    if hot := [wire for wire, _ in wires if wire.is_hot]:
        yield '<g class="z">\n'
        yield from (f'<path d="{_path_data(wire.path)}"/>\n' for wire in hot)
        yield "</g>\n"
    marker = {color: number for number, color in enumerate(colors)}
    ordered = sorted(wires, key=_wire_look)
    for (color, is_dashed, has_arrow), group in groupby(ordered, _wire_look):
        dash = ' stroke-dasharray="6 4"' if is_dashed else ""
        arrow = f' marker-end="url(#a{marker[color]})"' if has_arrow else ""
        yield f'<g class="w" stroke="{xml_text(color)}"{arrow}{dash}>\n'
        for wire, _ in group:
            yield f'<path d="{_path_data(wire.path)}"><title>{xml_text(wire.tooltip)}</title></path>\n'
        yield "</g>\n"


def _wire_look(item: tuple[Wire, bool]) -> tuple[str, bool, bool]:
    wire, has_arrow = item
    return (wire.color, wire.is_dashed, has_arrow)


def _path_data(path: WirePath) -> str:
    parts = [f"M{path[0][0]:.0f} {path[0][1]:.0f}"]
    for segment in path[1:]:
        if len(segment) == 2:
            parts.append(f"L{segment[0]:.0f} {segment[1]:.0f}")
        else:
            parts.append("C" + " ".join([f"{value:.0f}" for value in segment]))
    return "".join(parts)


def _captions(captions: Iterable[Caption]) -> Iterator[str]:
    yield '<g class="c">\n'
    for caption in captions:
        side = ' class="b"' if caption.is_left else ""
        yield f'<text{side} x="{caption.x:.0f}" y="{caption.y:.0f}">{xml_text(caption.text)}</text>\n'
    yield "</g>\n"


def _box(box: Box) -> str:
    label = box.label
    x, y, width, height = round(box.x), round(box.y), round(box.width), round(box.height)
    ink = ink_on(box.color)
    badge_width = text_width(label.badge, TEXT_SIZE) + 8 if label.badge else 0.0
    kind_fit = _fit(label.kind, width - 2 * PADDING - badge_width, TITLE_SIZE)
    parts = [
        f'<g id="n{box.node}" transform="translate({x} {y})"><title>{xml_text(label.tooltip)}</title>',
        f'<rect class="{"q" if box.kind in _STUBS else "p"}" width="{width}" height="{height}" rx="4"/>',
        f'<path d="M0 4q0 -4 4 -4h{width - 8}q4 0 4 4v{HEAD_HEIGHT - 4:.0f}h-{width}z" fill="{xml_text(box.color)}"/>',
        f'<text class="k" x="{PADDING}" y="15" style="fill:{ink}"{kind_fit}>{xml_text(label.kind)}</text>',
    ]
    if label.badge:
        parts.append(f'<text class="b" x="{width - PADDING}" y="15" style="fill:{ink}">{xml_text(label.badge)}</text>')
    line_y = HEAD_HEIGHT + BODY_PADDING / 2
    for role, text in label.lines:
        line_y += LINE_HEIGHT
        look = _ROLE_CLASSES.get(role, "")
        fit = _fit(text, width - 2 * PADDING, TEXT_SIZE)
        parts.append(f'<text{look} x="{PADDING}" y="{line_y - 3:.0f}"{fit}>{xml_text(text)}</text>')
    if box.heat:
        bar = max(1, round(box.heat * (width - 4)))
        bar_y = round(height - BAR_HEIGHT - 1)
        parts.append(f'<rect x="2" y="{bar_y}" width="{bar}" height="{BAR_HEIGHT:.0f}" fill="{TIME_COLOR}"/>')
    if box.kind == "group":
        parts.append(f'<rect class="d" x="2.5" y="2.5" width="{width - 5}" height="{height - 5}" rx="2"/>')
    if box.is_highlighted:
        parts.append(f'<rect class="h" width="{width}" height="{height}" rx="4"/>')
    parts.append("</g>\n")
    return "".join(parts)


def _fit(text: str, room: float, size: float) -> str:
    """The attributes that keep a line in its box where the reader's font may be too wide for it, else ""."""
    width = text_width(text, size)
    return f' textLength="{min(room, width):.0f}" lengthAdjust="spacingAndGlyphs"' if width * _WIDER > room else ""


# How much wider other fonts are than ``text_width`` says: DejaVu Sans and Verdana.
_WIDER = 1.16
# They are not whole: what they stand for is outside the picture.
_STUBS = ("from", "to")
_ROLE_CLASSES = {"reason": ' class="r"', "origin": ' class="o"'}
