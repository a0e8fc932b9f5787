"""BuildPass: one step of the optimization, Draft → Draft; each is a file of ``trex.simulator.passes``.

Its docstring has the same headings everywhere: What it does · The rule · What it leaves out. The rule names its source,
a page of NVIDIA's documents; where those are silent and engines or logs were looked at, it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.core.registry import Plug, Registry
from trex.simulator.draft import Draft
from trex.simulator.workbench import Workbench


@dataclass(frozen=True, slots=True)
class BuildPass:
    """order: place among the passes, 10 apart. edit: does its work on the bench that it is given."""

    title: str
    order: int
    edit: Callable[[Workbench], None]


PASSES = Registry("trex.simulator.passes", "PASS", plural="passes")


def passes_in_order() -> list[Plug]:
    return sorted(PASSES.values(), key=lambda plug: (plug.value.order, plug.name))


def run_passes(draft: Draft) -> Draft:
    """All of them, one after the other."""
    for plug in passes_in_order():
        bench = Workbench(draft, plug.name)
        plug.value.edit(bench)
        draft = bench.done()
    return draft
