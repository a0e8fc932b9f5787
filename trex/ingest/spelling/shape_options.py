"""Echoed shape options → the shapes each optimization profile allows.

trtexec prints ``Input build shape: x=1x3+4x3+8x3`` (until 8.6) or ``Input build shape (profile 1): x=…`` (since 9.0),
and ``Input inference shape: x=4x3`` for the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.shape import Shape
from trex.core.tensor import Binding, ShapeRange
from trex.ingest.spelling.shapes import MAX_RANK, read_dim

# Every binding gets as many entries: what a short text names must not grow without measure.
MAX_PROFILES = 256

_BUILD_KEY = re.compile(r"Input build shapes?\s*(?:\(profile (\d{1,4})\))?$")
_RUN_KEY = re.compile(r"Input inference shapes?\s*$")
_DIMS = r"\d{1,13}(?:x\d{1,13}){0,15}"
_RANGE = re.compile(rf"({_DIMS})(?:\+({_DIMS})\+({_DIMS}))?")


def build_ranges(metadata: Metadata) -> dict[str, dict[int, ShapeRange]]:
    """{binding name: {profile: range}} as far as the build options tell."""
    found: dict[str, dict[int, ShapeRange]] = {}
    for key, value in metadata.build_options.items():
        match = _BUILD_KEY.match(key)
        if match and isinstance(value, str):
            for name, (minimum, optimum, maximum) in _entries(value):
                low = _shape(minimum)
                entry = ShapeRange(low, _shape(optimum) if optimum else low, _shape(maximum) if maximum else low)
                found.setdefault(name, {})[int(match[1] or 0)] = entry
    return found


def run_shapes(metadata: Metadata) -> dict[str, Shape]:
    """{binding name: shape} of the profiled run, as far as its inference options tell."""
    found: dict[str, Shape] = {}
    for key, value in metadata.inference_options.items():
        if _RUN_KEY.match(key) and isinstance(value, str):
            for name, (dims, optimum, _) in _entries(value):
                shape = _shape(optimum or dims)
                if shape is not None:
                    found[name] = shape
    return found


def with_build_ranges(engine: Engine, metadata: Metadata) -> tuple[Binding, ...]:
    """The engine's bindings, completed by the ranges of the build options where the graph file gives none."""
    ranges = build_ranges(metadata)
    completed = []
    for binding in engine.bindings:
        known = ranges.get(binding.name)
        if known and not binding.profiles:
            nothing = ShapeRange(None, None, None)
            profiles = tuple(known.get(profile, nothing) for profile in range(min(max(known) + 1, MAX_PROFILES)))
            binding = Binding(binding.name, binding.is_input, binding.tensor, profiles)
        completed.append(binding)
    return tuple(completed)


def _entries(value: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """``x=1x3+4x3+8x3, y=2`` → (x, (1x3, 4x3, 8x3)), (y, (2, "", "")).

    A name ends at the last "=" before the dimensions; it may hold ":", "/", "=", blanks and commas.
    """
    begun: list[str] = []
    for piece in value.split(","):
        name, equals, dims = piece.rpartition("=")
        match = _RANGE.fullmatch(dims.strip()) if equals else None
        if match:
            yield ",".join([*begun, name]).strip(), (match[1], match[2] or "", match[3] or "")
        if equals:
            begun.clear()
        else:
            begun.append(piece)


def _shape(text: str) -> Shape | None:
    dims = text.split("x")
    return tuple(read_dim(int(dim)) for dim in dims) if len(dims) <= MAX_RANK else None
