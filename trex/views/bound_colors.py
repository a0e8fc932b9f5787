"""What bounds a layer → its color, the same in charts and diagrams."""

from __future__ import annotations

from trex.perf.achievable import Bound
from trex.views.palette import UNKNOWN_COLOR

BOUND_COLORS = {
    Bound.TENSOR_CORES.value: "#76b900",
    Bound.CUDA_CORES.value: "#ffb000",
    Bound.MEMORY.value: "#0077bb",
    Bound.L2.value: "#33bbee",
    Bound.LAUNCH.value: "#ee3377",
    Bound.UNKNOWN.value: UNKNOWN_COLOR,
}
