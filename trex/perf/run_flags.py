"""Options of a run → RunFlags: how it was measured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.shape import is_static, shape_text
from trex.core.tensor import Binding

_WORDS = {"enabled": True, "disabled": False, "true": True, "false": False, "on": True, "off": False}
_LETTERS = re.compile(r"[^a-z0-9]")
_NUMBER = re.compile(r" *([0-9]{1,9}(?:\.[0-9]{1,9})?) *(?:ms)? *")
_LARGEST = 1e9
_SHAPE = re.compile(r"[0-9x]{1,200}")


@dataclass(frozen=True, slots=True)
class RunFlags:
    """Each None if unknown, which is not "no".

    cuda_graph: one launch per inference instead of one per kernel; False, too, if the run asked for it and the log
    reports that it could not be captured (capture_failed). spin_wait: the host polls instead of sleeping.
    data_transfers: inputs and outputs were copied between host and device. separate_profiling: layers were timed in a
    second run, so per-query times are free of the profiler. streams: inferences that may run in parallel. sleep_ms,
    idle_ms: requested pauses. shapes: {input: dimensions as text} of the run, None if unknown.
    """

    cuda_graph: bool | None = None
    spin_wait: bool | None = None
    data_transfers: bool | None = None
    separate_profiling: bool | None = None
    multithreading: bool | None = None
    streams: int | None = None
    sleep_ms: float | None = None
    idle_ms: float | None = None
    shapes: Mapping[str, str] | None = None
    capture_failed: bool = False


def run_flags(inference_options: Mapping[str, Any]) -> RunFlags:
    """From trtexec's section "Inference Options", with its keys and values verbatim (8.0 to 11.x)."""
    plain = {_LETTERS.sub("", str(key).lower()): value for key, value in inference_options.items()}
    capture_failed = plain.get("cudagraphcapture") == "Failed"
    return RunFlags(
        False if capture_failed else _switch(plain.get("cudagraph")),
        _switch(plain.get("spinwait")),
        _switch(plain.get("datatransfers")),
        _switch(plain.get("separateprofiling")),
        _switch(plain.get("multithreading")),
        _count_of(plain.get("inferencestreams", plain.get("streams"))),
        _number(plain.get("sleeptime")),
        _number(plain.get("idletime")),
        _shapes(plain.get("inputinferenceshape", plain.get("inputinferenceshapes"))),
        capture_failed,
    )


def shapes_off_optimum(flags: RunFlags, bindings: Iterable[Binding], profile: int) -> tuple[tuple[str, str, str], ...]:
    """(input, shape of the run, optimal shape of the optimization profile) if both are known and differ."""
    result = []
    for binding in bindings:
        optimum = binding.profiles[profile].optimum if profile < len(binding.profiles) else None
        ran = (flags.shapes or {}).get(binding.name)
        if ran is not None and is_static(optimum) and ran != shape_text(optimum):
            result.append((binding.name, ran, shape_text(optimum)))
    return tuple(result)


def _shapes(value: Any) -> Mapping[str, str] | None:
    """``x=1x3x224x224,y=8`` as a mapping; None for "model" and for invalid shapes."""
    if not isinstance(value, str) or "=" not in value:
        return None
    pairs = [part.rpartition("=") for part in value.split(",")]
    shapes = {name.strip(): shape.strip() for name, _, shape in pairs if name and _SHAPE.fullmatch(shape.strip())}
    return shapes or None


def _switch(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _count_of(value: Any) -> int | None:
    """A number of at least 1; None of other values."""
    number = _number(value)
    return int(number) if number is not None and number >= 1 else None


def _number(value: Any) -> float | None:
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match:
        return float(match[1])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= _LARGEST else None
