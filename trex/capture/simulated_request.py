"""CaptureOptions → Target: what `trex process --backend simulated` is asked to predict, checked before any work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trex.capture.options import CaptureOptions
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.word_values import shapes_from_text
from trex.capture.words import Taker
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.release import Release, release_from_text
from trex.core.shape import Shape
from trex.ingest.onnx_inputs import onnx_inputs
from trex.perf.recognize import find_device
from trex.simulator.target import DEFAULT_RELEASE, Target

OLDEST, NEWEST = (8, 4), (11, 1)
_TYPES = {"fp16": DataType.FP16, "bf16": DataType.BF16, "int8": DataType.INT8, "fp8": DataType.FP8}
_BEST = frozenset({DataType.FP16, DataType.INT8})
_SHAPES = frozenset({"shapes", "minShapes", "optShapes", "maxShapes"})
_HEEDED = frozenset({*_TYPES, "best", "stronglyTyped", *_SHAPES, "useCudaGraph", "noCudaGraph"})
_TAKER = Taker("the simulated builder", "it takes trtexec's options: fp16 int8 best stronglyTyped shapes=x:1x3")


@dataclass(frozen=True, slots=True)
class Request:
    """target: what is predicted. lines: the same in trtexec's words. notes: words that a prediction does not heed."""

    target: Target
    lines: CommandLine
    notes: tuple[Note, ...]


def request_of(options: CaptureOptions) -> Request:
    """Raises TrexError where no GPU is named or it is not known, for a release that is none of those it can write, and
    for words that this release's trtexec would refuse.
    """
    if not options.device:
        raise TrexError(
            "a prediction needs a GPU to predict for",
            "name one: --device A100; `trex devices` lists those that are known",
        )
    release = _release(options.as_release)
    lines = command_line(options, release, taker=_TAKER)
    given = {word.name for word in lines.words.words}
    is_strong = "stronglyTyped" in given or release.major >= 11
    allowed = frozenset() if is_strong else frozenset(_TYPES[name] for name in given & set(_TYPES))
    if "best" in given:
        allowed |= _BEST
    shapes, notes = _shapes(options, lines)
    unheeded = sorted(given - _HEEDED)
    if unheeded:
        told = ", ".join(f"--{name}" for name in unheeded)
        notes = (
            *notes,
            Note("not-simulated", f"a predicted engine is the same with and without {told}", "", "", "info"),
        )
    device = find_device(options.device)
    return Request(Target(device, release, allowed, is_strong, shapes), lines, (*lines.notes, *notes))


def _release(text: str) -> Release:
    release = release_from_text(text) if text else DEFAULT_RELEASE
    if release is None or not OLDEST <= release.pair <= NEWEST:
        oldest, newest = (".".join(map(str, pair)) for pair in (OLDEST, NEWEST))
        raise TrexError(
            f"{text!r} is no release whose form can be written",
            f"name one from {oldest} to {newest}: --as-release 10.4",
        )
    return release


def _shapes(options: CaptureOptions, lines: CommandLine) -> tuple[dict[str, Shape], tuple[Note, ...]]:
    """Shapes to run with: those that are given, else the optimum of the profile, else 1 for every open dimension, as
    trtexec takes it.
    """
    given: dict[str, Shape] = {}
    for profile in lines.words.profiles:
        given |= shapes_from_text(profile.optimum) if profile.optimum else {}
    run = lines.words.value("shapes")
    given |= shapes_from_text(run) if run else {}
    opened = list(_opened(options, given))
    given |= dict(opened)
    if not opened:
        return given, ()
    told = ", ".join(f"{name}:{'x'.join(map(str, shape))}" for name, shape in opened)
    message = f"dimensions that the model leaves open are taken as 1: {told}"
    return given, (Note("open-dimensions", message, f"say how large: shapes={told}"),)


def _opened(options: CaptureOptions, given: dict[str, Shape]) -> Iterator[tuple[str, Shape]]:
    for each in onnx_inputs(options.model) or ():
        if each.name not in given and each.dimensions is not None and -1 in each.dimensions:
            yield each.name, tuple(1 if size == -1 else size for size in each.dimensions)
