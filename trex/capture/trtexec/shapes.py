"""Shapes given for trtexec, checked against the model and against the optimization profile of the run.

trtexec reports such mistakes after minutes, when the engine is built, or in terms of the builder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.shape_spec import parse_shapes as parse_shape_spec
from trex.capture.tensorrt_api.shape_spec import shape_text
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.onnx_inputs import OnnxInput

Dimensions = tuple[int, ...]

_ANY = -1
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


def check_with_model(given: Iterable[tuple[str, str]], inputs: Sequence[OnnxInput]) -> None:
    """given: (option, its shapes). Raises TrexError for an unknown input and for a shape that does not fit."""
    by_name = {input_.name: input_ for input_ in inputs}
    for option, text in given:
        for name, shape in parse_shapes(text).items():
            if name not in by_name:
                listed = ", ".join(map(_input_text, inputs)) or "none"
                hint = did_you_mean(name, by_name, f"its inputs: {listed}")
                raise TrexError(f"the model has no input {name}", hint, f"{option}={text}")
            _check_shape(option, text, by_name[name], shape)


def _check_shape(option: str, text: str, model_input: OnnxInput, shape: Dimensions) -> None:
    own = model_input.dimensions
    if own is None or model_input.may_hold_sizes:
        return
    fits = len(shape) == len(own)
    if fits and all(size in (_ANY, given) for size, given in zip(own, shape, strict=True)):
        return
    sizes = shape if fits else (1,) * len(own)
    example = [given if size == _ANY else size for size, given in zip(own, sizes, strict=True)]
    raise TrexError(
        f"{option} gives the input {model_input.name} {shape_text(shape)}, but the model has {shape_text(own)}"
        + ("; -1 is any size" if _ANY in own else ""),
        f"write, for example, {option}={model_input.name}:{shape_text(example)}",
        f"{option}={text}",
    )


def _input_text(model_input: OnnxInput) -> str:
    own = model_input.dimensions
    return f"{model_input.name}:{'of any shape' if own is None else shape_text(own)}"
