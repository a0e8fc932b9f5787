"""Engines that contain only layer names.

What it finds: ``"Layers": ["conv1", "relu1", …]``.
Why it matters: engines built without detailed profiling verbosity contain no types, shapes or tactics, and passing the
option when the engine is loaded does not restore them.
What it does: creates a layer for each name, infers its type from the words in the name, and says so; precision,
tensors and sizes stay unknown.
"""

import re

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine

REBUILD_HINT = "rebuild with: trtexec --onnx=MODEL.onnx --saveEngine=MODEL.engine --profilingVerbosity=detailed"

# The first match wins. Words in ONNX operators and in node names of PyTorch exporters.
_TYPE_WORDS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("Reformat", r"^Reformatting CopyNode|(?:in|out)put reformatter \d{1,9}$"),
        ("Myelin", r"ForeignNode\["),
        ("kgen", r"^__myl_"),
        ("shape_call", r"^__mye\d+"),
        ("PointWise", r"^PWN\("),
        ("Deconvolution", r"conv(?:_?transpose|2d_?transpose)|deconv"),
        ("Convolution", r"conv"),
        ("MatrixMultiply", r"matmul|gemm|(?<![a-z])linear|addmm"),
        ("Pooling", r"pool"),
        ("SoftMax", r"softmax"),
        ("Reduce", r"reduce|_mean\b"),
        ("Resize", r"resize|upsample"),
        ("TopK", r"topk|argmax|argmin"),
        ("Gather", r"gather|embedding"),
        ("Concatenation", r"concat|\bcat"),
        ("Shuffle", r"shuffle|transpose|reshape|flatten|squeeze|permute"),
        ("Slice", r"slice|split|\bpad"),
        ("Normalization", r"norm"),
        ("Scale", r"quantizelinear"),
        ("ElementWise", r"add|mul|sub|div|relu|sigmoid|tanh|gelu|silu|clip|exp|sqrt|pow"),
        ("Constant", r"constant"),
    )
)


def inferred_type(name: str) -> str:
    """The layer type for the words in a name, ``Unknown`` without a known word."""
    head = name[:2000]
    return next((kind for kind, pattern in _TYPE_WORDS if pattern.search(head)), "Unknown")


def applies(raw: RawEngine) -> bool:
    return bool(raw.named)


def apply(raw: RawEngine) -> None:
    for layer in raw.named:
        layer.type = layer.subtype = inferred_type(layer.name)
    if len(raw.named) == len(raw.layers):
        raw.verbosity = "names"
    raw.note(
        "names-only-engine",
        f"the engine contains only the names of {counted(len(raw.named), 'layer')}: no types, shapes, precisions or "
        "tactics; layer types were inferred from the names",
        REBUILD_HINT,
        severity="problem",
    )


QUIRK = Quirk(QuirkStage.SCHEMA, applies, apply)
