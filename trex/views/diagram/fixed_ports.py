"""Links that end at fixed places of large cells → ``Grid.parts`` and ``Grid.shifts``, which mind these places.

At a frame, wires come in and go out where its inside wants them: among those that go to the same frame, the order of
the places decides what crosses.
"""

from __future__ import annotations

from collections.abc import Sequence

from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.grid import Grid

# A little less than the distance of two items on a row, so that no two cells' connections come to lie on one another.
_SPREAD = 0.9


def mind_ports(grid: Grid, cells: Sequence[Cell], links: Sequence[Link]) -> None:
    """Fills ``grid.parts`` and ``grid.shifts``; linear."""
    back = {*grid.long_links, *grid.back_links}
    for position, link in enumerate(links):
        if position in back or (link.leave is None and link.enter is None):
            continue
        chain = grid.chains.get((link.source, link.net), [])[: grid.row_of[link.target] - grid.row_of[link.source] - 1]
        below, above = chain[0] if chain else link.target, chain[-1] if chain else link.source
        for cell, other, offset in ((link.source, below, link.leave), (link.target, above, link.enter)):
            if offset is not None:
                grid.parts[cell, other] = _SPREAD * (offset / cells[cell].width - 0.5)
                shift = offset - cells[cell].left
                grid.shifts[other, cell] = grid.shifts.get((other, cell), 0.0) + shift
                grid.shifts[cell, other] = grid.shifts.get((cell, other), 0.0) - shift
