"""Words that people meet in an engine's files and in our tables, in plain words.

Sources: TensorRT's developer guide and trtexec's documentation of what it measures (own words).
"""

from __future__ import annotations

from trex.core.data_type import DataType

TERMS: dict[str, str] = {
    "GPU Compute Time": (
        "From the first kernel of an inference to the last, as the GPU sees it. Percentile 99: only one inference in a "
        "hundred took longer."
    ),
    "Latency": "H2D Latency, GPU Compute Time and D2H Latency of one inference together.",
    "Enqueue Time": (
        "How long the host takes to launch one inference. When it exceeds the GPU Compute Time, the GPU waits for "
        "the host, and CUDA graphs may help."
    ),
    "H2D Latency": "Copying the inputs of one inference from the host to the device.",
    "D2H Latency": "Copying the outputs of one inference from the device to the host.",
    "Total Host Walltime": "From the launch of the first measured inference to the end of the last, on the host.",
    "Total GPU Compute Time": "The GPU Compute Time of all measured inferences together.",
    "Throughput": "Inferences per second: their number divided by the Total Host Walltime. One may hold a whole batch.",
    "timeMs": "Of a layer profile: milliseconds spent in the layer over all profiled iterations (latency.time).",
    "averageMs": "Of a layer profile: milliseconds per iteration, on average (latency.avg_time).",
    "medianMs": (
        "Of a layer profile since TensorRT 8.4: milliseconds per iteration, the median (latency.median_time). One slow "
        "iteration does not move it."
    ),
    "percentage": "Of a layer profile: the layer's share of the time of all layers (latency.pct_time).",
    "latencyMs": "Of a query trace: transfers and GPU time of one inference.",
    "computeMs": "Of a query trace: GPU time of one inference.",
    "hostMs": "Of results that Polygraphy saved: time of one inference on the host, with copies and Python's overhead.",
    "endToEndMs": "Of a query trace until TensorRT 8.4: from the start of the copy in to the end of the copy out.",
    "Sum of layer times": (
        "Each layer's time added up: medians where the profile has them, else averages. It exceeds the GPU compute "
        "time because measuring every layer costs time and keeps layers of different streams from overlapping; it is "
        "less where the GPU idles between kernels."
    ),
    "Error bar": (
        "Of predicted times: between which GPU compute times a real engine is expected, from how far such predictions "
        "missed the real engines that they were judged by (trex validate)."
    ),
    "attr.macs": "MACs of a convolution or matrix product (one each, not two operations).",
    "attr.M": "Rows of the layer's product seen as a matrix product: output positions of all images for a convolution.",
    "attr.N": "Columns of the layer's product seen as a matrix product: output channels of all groups.",
    "attr.K": "Depth of the layer's product: input channels of one group times the kernel's window.",
    "attr.arithmetic_intensity": (
        "MACs per byte that must be moved at least once: inputs, outputs and weights (roofline model). Low: "
        "memory limits the layer; high: arithmetic does."
    ),
    "attr.compute_efficiency": "MACs per millisecond that the layer achieved.",
    "attr.memory_efficiency": "Bytes of inputs, outputs and weights per millisecond that the layer achieved.",
    "Roofline": (
        "The least time that a layer's arithmetic, the bytes it moves and the launch of its kernel take on a GPU; the "
        "longest of them bounds the layer. trex perf PATH shows it, docs/performance.md explains it."
    ),
    "Arithmetic intensity": (
        "Operations per byte that a layer moves: perf.intensity. Below the ridge (perf.ridge) memory bounds it, "
        "above it the arithmetic does."
    ),
    "Bound": (
        "What the longest of a layer's least times is spent on, and so what keeps it from being faster: tensor cores, "
        "CUDA cores, memory, L2 or launch (perf.bound)."
    ),
    "Launch": (
        "Bound by its launch: a layer with so little to do that a kernel's own 2 µs take longer than the work. Fewer "
        "kernels help, faster ones do not."
    ),
    "MACs": (
        "Multiply-accumulate operations: perf.macs. One is two operations; other "
        "arithmetic is counted apart (perf.other_ops)."
    ),
    "Attainable": (
        "The time of a layer at its roofline: perf.attainable_ms. Reached is its share of the measured time "
        "(perf.achieved_share)."
    ),
    "Confidence": (
        "How sure a layer's work is: 1 the engine's files say it, 0.8 a shape or count was inferred, 0.5 an "
        "approximation, 0 nothing is known (perf.confidence)."
    ),
    "Headroom": (
        "What would be saved if a layer reached the share of its roofline that good kernels do: perf.headroom_ms. It "
        "says where to look first, not that a faster kernel exists."
    ),
    "Tile quantization": (
        "A product is computed in tiles; where its extents are no multiples of the tile's, part of the work is "
        "padding: perf.tile_efficiency."
    ),
    "Wave quantization": (
        "Tiles run in waves, as many at a time as the GPU has room for; a last wave that is not full leaves SMs idle: "
        "perf.wave_efficiency."
    ),
    "Peak of activations": (
        "The most bytes of activations that are in use while one layer runs. No planner of memory can do with less; "
        "TensorRT's own total is above it by gaps and scratch space."
    ),
    "Reuse factor": "All activations together over their peak: how often each byte of memory is used.",
    "Effective samples": (
        "How many independent samples the measured ones are worth: neighbors in time are similar, so that they show "
        "less than their number."
    ),
    "Drift": "Change of the times over a run, in percent of the median; see docs/performance.md.",
    "Warm-up": "Samples at the beginning of a run that are not like the rest; statistics leave them out.",
    "Percentile": (
        "The smallest sample that so many percent of all samples do not exceed, as trtexec takes it; the 50th is the "
        "median."
    ),
    "Verdict": "The least difference between two runs like this one that may be believed, and what set it.",
    "Activations": (
        "Bytes of all tensors that layers write or read, each distinct one once, padding included. What is in use at "
        "one moment is far less: TensorRT reuses memory."
    ),
    "Weights": "Bytes of weights, biases and constants, each in its own type.",
    "average": "The time of a layer, averaged over the iterations that were profiled: the column latency.avg_time.",
    "median": (
        "The time of a layer in the middle one of the iterations that were profiled, or the sum of these of several "
        "layers: the column latency.median_time."
    ),
    "time %": "The part of the sum of all layers' times that a layer, or a kind of layers, takes: latency.pct_time.",
    "Profiled": "How many of the layers have a record in the profile; the others have no time, which is not zero time.",
    "Build precision": "The types the builder was allowed to use, not those it chose: see Layers by precision.",
    "Optimization profile": (
        "A range of input shapes (minimum, optimum, maximum) an engine was built for. Each has its own copy of the "
        "layers, marked [profile N] from the second on; --profile-id chooses one."
    ),
    "Tactic": "The kernel that was chosen for a layer, by measuring the candidates while the engine was built.",
    "Binding": "An input or output of the engine as a whole.",
    "ForeignNode": (
        "{ForeignNode[a...b]}: the part of the network from a to b, compiled as a whole by Myelin; until TensorRT 8.6 "
        "one opaque layer."
    ),
    "+": "a + b in a layer's name: vertical fusion, operations that follow one another, computed in one kernel.",
    "||": "a || b in a layer's name: horizontal fusion, parallel operations that share an input, computed as one.",
    "PWN": "PWN(...): a pointwise network, element-by-element operations computed in one kernel.",
    "Myelin region": (
        "A part of the network compiled by Myelin, TensorRT's graph compiler; _myl7_3 is kernel 3 of region 7."
    ),
    "vertical": "Fusion of operations that follow one another, written a + b.",
    "horizontal": "Fusion of parallel operations that share an input, written a || b.",
    "pointwise": "Fusion of element-by-element operations, written PWN(a, b).",
    "foreign": "A region compiled by Myelin, written {ForeignNode[a...b]}.",
    "detailed": "Profiling verbosity with which an engine keeps tensors, precisions and tactics for the inspector.",
    "layer_names_only": (
        "The default profiling verbosity: the engine keeps nothing but the names of its layers. What was left "
        "out takes another build, with --profilingVerbosity=detailed."
    ),
    "Origin": "Of a Reformat: why it is there (REFORMAT, QDQ, CAST, CONCAT, SLICE …).",
    "StreamId": "The CUDA stream a layer runs on; layers of different streams may overlap.",
    "Location": "Where a tensor lives: Device or Host.",
    "Q/DQ": "Quantize and Dequantize nodes of an ONNX model, which say where narrow types may be used.",
}

_DATA_TYPES: dict[DataType, str] = {
    DataType.FP32: "32-bit floating point, TensorRT's Float. Kernels may compute it with TF32's shorter mantissa.",
    DataType.FP16: "16-bit floating point (IEEE half), TensorRT's Half.",
    DataType.BF16: "16-bit floating point with the range of FP32 and fewer digits (bfloat16).",
    DataType.FP8: "8-bit floating point (E4M3), used with a scale.",
    DataType.FP4: "4-bit floating point (E2M1), used with a scale per block; half a byte each.",
    DataType.E8M0: "A power of two in 8 bits: the scale of a block of narrow numbers.",
    DataType.INT8: "8-bit integer, used with a scale.",
    DataType.INT4: "4-bit integer, for weights, used with a scale per block; half a byte each.",
    DataType.BOOL: "True or false, one byte each.",
}


def explain_term(word: str) -> tuple[str, str] | None:
    """(the term as it is written, its meaning), whatever the case of its letters; None for an unknown one."""
    lowered = " ".join(word.lower().split())
    return next(((term, text) for term, text in TERMS.items() if term.lower() == lowered), None)


def explain_data_type(data_type: DataType) -> str:
    """An element type in one line: what it is and how much room it takes."""
    size = data_type.item_bytes
    room = "" if size is None else f"{size:g} byte{'s' if size > 1 else ''} per element"
    return f"{_DATA_TYPES.get(data_type, data_type.kind)}\n{room}; a tensor's size is rounded up to whole bytes".strip()
