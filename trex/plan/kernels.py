"""Layer → Tactic: the decoded name of a layer's kernel."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.tactic import Tactic
from trex.ingest.spelling.tactic_names import decode_tactic, without_hash

CHOSEN_LATE = "__myelin_CASK_STUB"
"""Instead of a kernel's name: TensorRT for RTX chooses the kernel on the user's GPU."""


def kernel_of(layer: Layer) -> Tactic:
    """What the name of the layer's kernel states; ``NO_TACTIC`` without a name, or for one of no known family.

    Cached by name: a plan of 100 000 layers has some hundred kernels.
    """
    return decode_tactic(layer.tactic)


def common_name_of(layer: Layer) -> str:
    """The name of the layer's kernel, or of another that states the same: for caches of what names state."""
    return without_hash(layer.tactic)


def is_chosen_late(layer: Layer) -> bool:
    """Whether the layer's kernel is chosen on the user's GPU only; see ``ingest/spelling/tactics/families/myelin``."""
    return layer.tactic == CHOSEN_LATE


def kernel_named(name: str) -> Tactic:
    """The same for a kernel's name."""
    return decode_tactic(name)
