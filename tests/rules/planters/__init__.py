"""PLANTERS: for each rule what plants its defect, and what looks like it and is sound.

A new rule needs one entry in the file of its family: its name and ``Planter(plant, healthy)``; or one in ``WITHOUT``,
which says why it has none.
"""

from __future__ import annotations

from tests.rules.planted import Planter
from tests.rules.planters import comparisons, copies, kernels, runs, types

PLANTERS: dict[str, Planter] = {
    **types.PLANTERS,
    **copies.PLANTERS,
    **kernels.PLANTERS,
    **runs.PLANTERS,
    **comparisons.PLANTERS,
}
WITHOUT: dict[str, str] = {}
"""{rule: why nothing can be planted for it}."""
