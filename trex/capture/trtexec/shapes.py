"""Shapes given for trtexec, and whether the optimization profile of the run allows them.

trtexec reports that mistake after minutes, when the engine is built; names and sizes that the model lacks it reports
clearly at the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.shape_spec import parse_shapes as parse_shape_spec
from trex.capture.tensorrt_api.shape_spec import shape_text
from trex.core.errors import TrexError

Dimensions = tuple[int, ...]

_LIMITS = ("minShapes", "maxShapes")


@dataclass(frozen=True, slots=True)
class ProfileShapes:
    """One optimization profile. texts: {minShapes, optShapes or maxShapes: its shapes}, as far as given."""

    index: int
    texts: Mapping[str, str]

    @property
    def optimum(self) -> str:
        """Shapes to run with; "" if only a minimum or a maximum is given, which trtexec refuses."""
        return self.texts.get("optShapes", "")


def parse_shapes(text: str) -> dict[str, Dimensions]:
    """``x:1x3,'y:0':2`` → {x: (1, 3), y:0: (2,)}; () for a scalar. Raises TrexError for anything else."""
    try:
        return dict(parse_shape_spec(text))
    except CollectorError as fault:
        raise TrexError(fault.message, fault.hint, text) from None


def check_run_shapes(profiles: Sequence[ProfileShapes], use_profile: str | None, shapes: str | None) -> None:
    """Raises TrexError for a run with a profile that is not built, or with shapes outside of its profile."""
    index = int(float(use_profile or 0))
    profile = next((profile for profile in profiles if profile.index == index), None)
    if profile is None:
        if profiles and use_profile:
            given = ", ".join(str(profile.index) for profile in profiles)
            raise TrexError(f"--useProfile={index} asks for a profile that is not built", f"profiles given: {given}")
        return
    least, most = (parse_shapes(profile.texts[name]) if name in profile.texts else {} for name in _LIMITS)
    for name, shape in parse_shapes(shapes).items() if shapes else ():
        low, high = least.get(name, shape), most.get(name, shape)
        fits = len(low) == len(shape) == len(high)
        if not fits or any(not a <= size <= b for a, size, b in zip(low, shape, high, strict=True)):
            raise TrexError(
                f"shapes gives {name} {shape_text(shape)}, outside of minShapes {shape_text(low)} and "
                f"maxShapes {shape_text(high)}",
                "choose shapes within them, or widen them",
                f"shapes={shapes}",
            )
