"""CaptureOptions → Target: what `trex process --backend simulated` predicts, checked before any work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trex.capture.backend import SIMULATED
from trex.capture.options import CaptureOptions
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.shapes import parse_shapes
from trex.capture.trtexec.user_options import Receiver
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.options import option_fields
from trex.core.shape import Shape
from trex.ingest.onnx_model import input_shapes
from trex.perf.recognize import find_device
from trex.simulator.target import Target, simulated_release

_TYPES = {"fp16": DataType.FP16, "bf16": DataType.BF16, "int8": DataType.INT8, "fp8": DataType.FP8}
_BEST = frozenset({DataType.FP16, DataType.INT8})
_NO_GRAPH = "noCudaGraph"
_SIMULATED = frozenset({*_TYPES, "best", "stronglyTyped", "shapes", "useCudaGraph", _NO_GRAPH})
_OF_REAL_RUNS = frozenset(
    (
        "target", "trtexec", "timeout", "workspace", "timing_cache", "dev", "memory_clk_freq", "compute_clk_freq",
        "power_limit", "dont_lock_clocks", "monitor", "iterations", "warm_up", "duration", "no_spin_wait",
        "include_data_transfers",
    )
)  # fmt: skip
"""Options of trex that mean nothing here."""
_RECEIVER = Receiver("the simulated builder", "it takes trtexec's options: fp16 int8 best stronglyTyped shapes=x:1x3")


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """target: what to predict. notes: options that change nothing here."""

    target: Target
    notes: tuple[Note, ...]


def simulated_request(model: str, words: Sequence[str], device: str, as_release: str = "") -> SimulationRequest:
    """What is predicted for a model with the build options of trtexec. Raises TrexError as ``request_of``."""
    options = CaptureOptions(model, "", tuple(words), backend=SIMULATED, device=device, as_release=as_release)
    return request_of(options)


def request_of(options: CaptureOptions) -> SimulationRequest:
    """Raises TrexError without a known GPU, for an unsupported release, and for options that its trtexec refuses."""
    if not options.device:
        raise TrexError(
            "a prediction needs a GPU to predict for", "name one: --device A100; `trex devices` lists the known ones"
        )
    release = simulated_release(options.as_release)
    lines = command_line(options, release, receiver=_RECEIVER)
    given = {option.name for option in lines.arguments.options}
    is_strong = "stronglyTyped" in given or release.major >= 11
    allowed = frozenset() if is_strong else frozenset(_TYPES[name] for name in given & set(_TYPES))
    if "best" in given:
        allowed |= _BEST
    shapes, notes = _shapes(options, lines)
    words = (given | lines.arguments.opt_outs) - _SIMULATED
    fields = [field for field in option_fields(CaptureOptions) if field.name in _OF_REAL_RUNS]
    flags = {field.flag for field in fields if getattr(options, field.name) != field.default}
    ignored = sorted({f"--{name}" for name in words} | flags)
    if ignored:
        message = f"without effect on a predicted engine: {', '.join(ignored)}"
        notes = (*notes, Note("not-simulated", message, "", "", "info"))
    device = find_device(options.device)
    target = Target(device, release, allowed, is_strong, shapes, cuda_graph=_NO_GRAPH not in lines.opt_outs)
    return SimulationRequest(target, (*lines.notes, *notes))


def _shapes(options: CaptureOptions, lines: CommandLine) -> tuple[dict[str, Shape], tuple[Note, ...]]:
    """Shapes of the run: as given, else the optimum of the profile, else 1 for each open dimension, as in trtexec."""
    given: dict[str, Shape] = {}
    for text in (*(profile.optimum for profile in lines.arguments.profiles), lines.arguments.value("shapes")):
        given |= parse_shapes(text) if text else {}
    for name, shape in given.items():
        if shape is not None and 0 in shape:
            raise TrexError(f"a dimension of {name} is 0: nothing would be computed", "whole numbers from 1")
    opened = dict(_opened(options, given))
    if not opened:
        return given, ()
    texts = ", ".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in opened.items())
    message = f"dimensions that the model leaves open are taken as 1: {texts}"
    return given | opened, (Note("open-dimensions", message, f"set them: shapes={texts}"),)


def _opened(options: CaptureOptions, given: dict[str, Shape]) -> Iterator[tuple[str, Shape]]:
    try:
        inputs = input_shapes(options.model)
    except TrexError:  # a simulated engine to profile; for another file the simulation says what is wrong
        return
    for name, shape in inputs.items():
        if name not in given and shape is not None and not all(shape):
            yield name, tuple(size or 1 for size in shape)
