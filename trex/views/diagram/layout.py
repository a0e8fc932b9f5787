"""Cells and links → Layout: boxes with positions, wires with paths. In time close to linear, on any graph.

Rows follow the order of execution (``ranks``), neighbors are ordered against crossings (``grid``), chains stand
straight (``placement``), long wires run next to the boxes (``lanes``), and wires bend only between rows (``routes``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.views.diagram.cells import TOP, Cell, Link
from trex.views.diagram.grid import make_grid, mind_ports, order_rows
from trex.views.diagram.lanes import assign_lanes
from trex.views.diagram.placement import Placement
from trex.views.diagram.ranks import rank_cells, trunk_of
from trex.views.diagram.routes import Path, Routes


@dataclass(frozen=True, slots=True)
class WirePort:
    """Where a value leaves its box, for the label of the wire.

    offset: from the box's center, as a part of its width, -0.5 … 0.5.
    """

    x: float
    y: float
    offset: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions in pixels, x to the right and y down, nothing left of or above 0.

    x, y: upper left corners of the cells. paths: one per link. ports: by (source, net). ranks: row of each cell. axis:
    x of the line that chains stand on.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    paths: tuple[Path, ...]
    ports: dict[tuple[int, int], WirePort]
    width: float
    height: float
    ranks: tuple[int, ...] = ()
    axis: float = 0.0


def lay_out(cells: Sequence[Cell], links: Sequence[Link]) -> Layout:
    """Lays out any graph whose forward links run from a lower cell number to a higher one.

    Raises ValueError for a forward link that does not.
    """
    for link in links:
        if link.is_forward and link.source >= link.target:
            raise ValueError(f"forward link from cell {link.source} to {link.target}: mark it is_back")
    if not cells:
        return Layout((), (), (), {}, 0.0, 0.0)
    ranks = _ranks(cells, links)
    grid = make_grid(cells, links, ranks)
    mind_ports(grid, cells, links)
    order_rows(grid)
    placement = Placement(grid, cells, trunk_of(cells, links, ranks))
    routes = Routes(grid, cells, links, placement, assign_lanes(grid, links, placement))
    left, right = routes.extent()
    ports = {
        key: WirePort(x - left, y, (x - placement.x[key[0]]) / max(1.0, cells[key[0]].width))
        for key, (x, y) in routes.ports.items()
    }
    return Layout(
        x=tuple([placement.x[cell] - box.left - left for cell, box in enumerate(cells)]),
        y=tuple([routes.bottom[ranks[cell]] - box.height for cell, box in enumerate(cells)]),
        paths=tuple([routes.path(position, -left) for position in range(len(links))]),
        ports=ports,
        width=right - left,
        height=routes.height,
        ranks=tuple(ranks),
        axis=-left,
    )


def _ranks(cells: Sequence[Cell], links: Sequence[Link]) -> list[int]:
    """The row of each cell: pinned ones above and below all others, which begin right under those above."""
    free = [number for number, cell in enumerate(cells) if not cell.pin]
    if len(free) == len(cells):
        return rank_cells(cells, links)
    # One cell stands for all that are pinned above: what reads any of them is connected.
    has_top = any(cell.pin == TOP for cell in cells)
    index = {number: i + has_top for i, number in enumerate(free)}
    inner = []
    for link in links:
        if link.target in index and (link.source in index or cells[link.source].pin == TOP):
            inner.append(Link(index.get(link.source, 0), index[link.target], link.net, link.is_back))
    stand_in = [Cell(0.0, 0.0)] if has_top else []
    result = rank_cells([*stand_in, *(cells[number] for number in free)], inner)
    least = min((result[i] for i in index.values()), default=0) - has_top
    last = max((result[i] for i in index.values()), default=least) - least + 1
    return [
        result[index[number]] - least if number in index else 0 if cell.pin == TOP else last
        for number, cell in enumerate(cells)
    ]
