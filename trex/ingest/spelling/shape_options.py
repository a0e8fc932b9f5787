"""Shape options in a log → the shapes that each optimization profile allows.

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

# Every binding gets one entry per profile, so a short text must not be able to ask for millions.
MAX_PROFILES = 256
_MOST_UNNAMED = 20_000

_BUILD_KEY = re.compile(r"Input build shapes?\s*(?:\(profile (\d{1,4})\))?$")
_RUN_KEY = re.compile(r"Input inference shapes?\s*$")
_DIMS = r"\d{1,13}(?:x\d{1,13}){0,15}"
_RANGE = re.compile(rf"({_DIMS})(?:\+({_DIMS})\+({_DIMS}))?")


def build_ranges(metadata: Metadata) -> dict[str, dict[int, ShapeRange]]:
    """{binding name: {profile: range}} in the build options."""
    ranges: dict[str, dict[int, ShapeRange]] = {}
    for key, value in metadata.build_options.items():
        match = _BUILD_KEY.match(key)
        if match and isinstance(value, str):
            for name, (minimum, optimum, maximum) in _entries(value):
                low = _shape(minimum)
                entry = ShapeRange(low, _shape(optimum) if optimum else low, _shape(maximum) if maximum else low)
                ranges.setdefault(name, {})[int(match[1] or 0)] = entry
    return ranges


def run_shapes(metadata: Metadata) -> dict[str, Shape]:
    """{binding name: shape} of the profiled run, from its inference options."""
    shapes: dict[str, Shape] = {}
    for key, value in metadata.inference_options.items():
        if _RUN_KEY.match(key) and isinstance(value, str):
            for name, (dims, optimum, _) in _entries(value):
                shape = _shape(optimum or dims)
                if shape is not None:
                    shapes[name] = shape
    return shapes


def with_build_ranges(engine: Engine, metadata: Metadata) -> tuple[Binding, ...]:
    """The engine's bindings, with the ranges in the build options for those without ranges of their own.

    Bindings stay as they are where the options name few of so many profiles that entries for the others fill memory.
    """
    ranges = build_ranges(metadata)
    completed = []
    unknown = ShapeRange(None, None, None)
    left = _MOST_UNNAMED  # of the entries of profiles that the options do not name, of all bindings
    for binding in engine.bindings:
        known = {} if binding.profiles else ranges.get(binding.name, {})
        count = min(max(known) + 1, MAX_PROFILES) if known else 0
        unnamed = count - sum(profile < count for profile in known)
        if count and unnamed <= left:
            left -= unnamed
            profiles = tuple(known.get(profile, unknown) for profile in range(count))
            binding = Binding(binding.name, binding.is_input, binding.tensor, profiles)
        completed.append(binding)
    return tuple(completed)


def _entries(value: str) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """``x=1x3+4x3+8x3, y=2`` → (x, (1x3, 4x3, 8x3)), (y, (2, "", "")).

    A name ends at the last "=" before the dimensions; it may contain ":", "/", "=", blanks and commas.
    """
    name_pieces: list[str] = []
    for piece in value.split(","):
        name, equals, dims = piece.rpartition("=")
        match = _RANGE.fullmatch(dims.strip()) if equals else None
        if match:
            yield ",".join([*name_pieces, name]).strip(), (match[1], match[2] or "", match[3] or "")
        if equals:
            name_pieces.clear()
        else:
            name_pieces.append(piece)


def _shape(text: str) -> Shape | None:
    dims = text.split("x")
    return tuple(read_dim(int(dim)) for dim in dims) if len(dims) <= MAX_RANK else None
