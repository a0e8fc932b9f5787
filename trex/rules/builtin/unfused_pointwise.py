"""Neighboring pointwise kernels that did not become one.

What it finds: chains of kernels that compute one value out of the values at one position (additions, activations,
scales), each of which alone reads what the one before it writes.
Why it matters: such a kernel is bound by memory: each of them writes and reads the whole tensor for a few operations.
One kernel for the chain would do both once.
What to try: the same type and layout all along (a reformat, a cast or another precision between them keeps them
apart); one ONNX operator in place of several (Gelu, HardSwish, Mish); broadcasts as constants of full rank; no plugin
and no tensor marked as an output in between.
Does not apply: where a result is read by others, too, or is an output of the engine; to what stands on different
streams; to kernels whose tensors differ in shape (broadcasts), which TensorRT may keep apart on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, priced, shortened, type_and_layout

_FORMULA = "sum of the times − the longest of them: one pass over the data in place of several"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Pointwise Fusion",
    "TensorRT Developer Guide: Layer Fusion",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding]:
    least = seen.total_ms * limits["share"] / 100 if seen.is_timed else 0.0
    small: list[list[int]] = []
    for chain in _chains(seen):
        if _gain(seen.stake(chain)) < least:
            small.append(chain)
        else:
            yield _finding(seen, [chain])
    if small and sum(_gain(seen.stake(chain)) for chain in small) >= least:
        yield _finding(seen, small)


def _gain(times: Mapping[int, float]) -> float:
    return sum(times.values()) - max(times.values(), default=0.0)


def _chains(seen: Inspected) -> Iterable[list[int]]:
    """Longest chains of pointwise kernels, each of which is the only reader of the one before."""
    fits, following = seen.operations.is_pointwise, _following(seen)
    starts = set(following) - set(following.values())
    for start in sorted(starts):
        chain = [start]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        if len(chain) > 1 and all(map(fits, chain)):
            yield chain


def _following(seen: Inspected) -> dict[int, int]:
    """{pointwise kernel: the pointwise kernel that alone reads it}; of several writers the last has the reader."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for place, layer in enumerate(seen.layers):
        if not seen.operations.is_pointwise(place):
            continue
        after = seen.after(place)
        if len(after) != 1 or after[0] in taken or not seen.operations.is_pointwise(after[0]):
            continue
        if any(tensor.name in seen.outputs for tensor in layer.outputs) or layer.stream != seen.layers[after[0]].stream:
            continue
        if _same_shape(seen, place, after[0]):
            found[place] = after[0]
            taken.add(after[0])
    return found


def _same_shape(seen: Inspected, place: int, reader: int) -> bool:
    outputs, read = seen.layers[place].outputs, seen.layers[reader].outputs
    if not outputs or not read or outputs[0].shape is None:
        return False
    return outputs[0].shape == read[0].shape


def _finding(seen: Inspected, chains: list[list[int]]) -> Finding:
    layers = [seen.layers[place] for chain in chains for place in chain]
    forms = list(dict.fromkeys(type_and_layout(tensor) for layer in layers for tensor in layer.outputs[:1]))
    at_stake: dict[int, float] = {}
    sum_ms = 0.0
    for chain in chains:
        times = seen.stake(chain)
        sum_ms += sum(times.values())
        if times:
            del times[max(times, key=times.__getitem__)]
        at_stake |= times
    advice = [
        "write them as one operator or one expression of the same type, without reshapes or casts in between",
        "trtexec --builderOptimizationLevel=5",
    ]
    if len(forms) > 1 and len(chains) == 1:
        advice.insert(0, f"give them one type and layout: they write {' and '.join(forms)}")
    if any(layer.type == "Scale" for layer in layers):
        advice.insert(0, "fold the Scale (a batch normalization or an affine part) into the layer before it")
    taken = f", {priced(sum_ms, seen.total_ms)}" if sum_ms else ""
    names = listed(shortened(layer.name) for layer in layers)
    first = (
        f"{len(layers)} pointwise kernels in a row"
        if len(chains) == 1
        else (f"{len(chains):,} short rows of pointwise kernels, {len(layers):,} in all")
    )
    return Finding(
        f"{first}{taken}: {names}",
        tuple(layer.index for layer in layers),
        at_stake,
        _FORMULA if at_stake else "",
        (
            Evidence("rows", len(chains)),
            Evidence("kernels", len(layers)),
            Evidence("types and layouts", ", ".join(forms)),
            Evidence("bytes of the tensors between them", _between(seen, chains), "bytes"),
        ),
        tuple(advice),
        _DOCUMENTATION,
        "the new engine names one layer for all of a row",
        0.6 if len(forms) == 1 else 0.4,
    )


def _between(seen: Inspected, chains: list[list[int]]) -> int | None:
    sizes = [tensor.size_bytes for chain in chains for place in chain[:-1] for tensor in seen.layers[place].outputs[:1]]
    return None if None in sizes else sum(size for size in sizes if size is not None)


RULE = Rule(
    "FUSE001",
    "neighboring pointwise kernels",
    Severity.WARNING,
    check,
    {"share": Limit(0.5, "%", "least share of the engine's time that could be saved")},
)
