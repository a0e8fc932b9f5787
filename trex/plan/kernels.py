"""Layer → Tactic: the door through which the readings of a plan see what a kernel's name states."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.tactic import Tactic
from trex.ingest.spelling.tactic_names import decode_tactic


def kernel_of(layer: Layer) -> Tactic:
    """What the name of the layer's kernel states; ``NO_TACTIC`` when it has none, or one of no known family.

    Memoised by name: a plan of 100 000 layers has some hundred kernels.
    """
    return decode_tactic(layer.tactic)
