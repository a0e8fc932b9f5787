"""Kernels and targets of an engine → Notes where other files contradict them: its build's precisions, its run's GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.layer import REFORMATS, Role
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.ingest.differing_facts import OTHER_FACT
from trex.ingest.spelling.device_facts import device_facts
from trex.plan.kernels import kernel_named

_HINT = "keep the files of one engine and one run together"
_PRECISION = re.compile(r"[A-Z]{2,4}[0-9]{1,2}")
_BY_FLAG = (DataType.FP16, DataType.BF16, DataType.INT8, DataType.FP8)
"""Computed in by a network without types of its own only if the build allows it."""
_MOST, _MOST_INSIDE = 0.5, 0.1
"""Share of the layers: single ones may have the type of an input, an output or a plugin; where no input and no output
of the engine has it.
"""
_SM = re.compile(r"sm_?([0-9]{2,3})")
_TARGET = re.compile(r"sm([0-9]{2,3})")
_PORTABLE, _PORTABLE_SINCE = "portable", (8, 0)
"""The documentation of TensorRT for RTX (CPU-Only AOT): engines without targets run on 8.0 and later, not on Turing."""


def other_precision(engine: Engine, build: Metadata) -> Iterator[Note]:
    """Layers that compute in a precision that the build did not allow, or write tensors of it."""
    stated = str(build.build_options.get("Precision") or "")
    allowed = _PRECISION.findall(stated.upper())
    if "FP32" not in allowed:  # strongly typed
        return
    layers = [layer for layer in engine.layers if layer.role is Role.KERNEL and layer.type not in REFORMATS]
    outside = {binding.tensor.data_type for binding in engine.bindings if binding.tensor is not None}
    for data_type in _BY_FLAG:
        if data_type.label in allowed:
            continue
        count = sum(layer.compute.data_type is data_type for layer in layers)
        inside = sum(any(tensor.data_type is data_type for tensor in layer.outputs) for layer in layers)
        verb = "compute in"
        if inside > count and data_type not in outside:
            count, verb = inside, "write"
        if count > (_MOST if data_type in outside else _MOST_INSIDE) * len(layers):
            message = (
                f"the build allowed {stated}, and {count:,} of {counted(len(layers), 'layer')} {verb} {data_type}: "
                "the files may be of two builds"
            )
            yield Note(OTHER_FACT, message, _HINT, next(iter(build.sources), ""))


def other_gpu(engine: Engine, run: Metadata) -> Iterator[Note]:
    """Kernels for a newer GPU than the run's, which cannot load them; older ones it can."""
    facts = device_facts(run.device)
    if facts.compute_capability is None:
        return
    major, minor = facts.compute_capability
    capability = 10 * major + minor
    names = {layer.tactic for layer in engine.layers if _is_newer(layer.tactic, capability)}
    newer = {name: kernel_named(name).sm or 0 for name in names}
    count = sum(newer.get(layer.tactic, 0) > capability for layer in engine.layers)
    if count:
        written = max(newer.values())
        message = (
            f"{counted(count, 'layer runs a kernel', 'layers run kernels')} for compute capability "
            f"{written // 10}.{written % 10}, the run's GPU has {major}.{minor}: the graph and the run are of two GPUs"
        )
        yield Note(OTHER_FACT, message, _HINT, next(iter(run.sources), ""), "problem")


def other_target(build: Metadata, run: Metadata) -> Iterator[Note]:
    """A run on a GPU that an engine of TensorRT for RTX was not built for: with targets it runs on those alone.

    A newer GPU of a target's generation (8.9 for sm86) is only a warning: CUDA could load its kernels.
    """
    capability = device_facts(run.device).compute_capability
    words = str(build.build_options.get("Targets") or "").lower().replace(",", " ").split()
    matches = [_TARGET.fullmatch(word) for word in words]
    targets = sorted(divmod(int(match[1]), 10) for match in matches if match)
    is_portable = words == [_PORTABLE]
    if capability is None or capability in targets or not (is_portable or (words and all(matches))):
        return
    if is_portable and capability >= _PORTABLE_SINCE:
        return
    built_for = ", ".join(map(_dotted, targets)) or f"{_dotted(_PORTABLE_SINCE)} and later"
    message = f"built for compute capability {built_for}, the run's GPU has {_dotted(capability)}"
    where = next(iter(run.sources), "")
    if any(target[0] == capability[0] and target < capability for target in targets):
        yield Note(OTHER_FACT, f"{message}: the files may be of two engines", _HINT, where)
    else:
        words_of_gpu = f"{message}, which cannot load such an engine: the files are of two engines"
        yield Note(OTHER_FACT, words_of_gpu, _HINT, where, "problem")


def _dotted(capability: tuple[int, int]) -> str:
    return "{}.{}".format(*capability)


def _is_newer(name: str, capability: int) -> bool:
    return any(int(sm) > capability for sm in _SM.findall(name))
