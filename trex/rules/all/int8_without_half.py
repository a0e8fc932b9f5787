"""An INT8 engine whose other layers may only be FP32.

What it finds: engines built for INT8 without FP16 or BF16 beside it, with layers that compute in FP32.
Why it matters: what has no INT8 kernel, or no scale, falls back to FP32 rather than to FP16: twice the bytes, and none
of the tensor cores' half precision. An INT8 engine may so be slower than an FP16 one.
What to try: ``--int8 --fp16`` together (TensorRT up to 10); in strongly typed networks cast what is not quantised to
FP16 in the model, or export it in FP16.
Does not apply: strongly typed networks, whose types are the model's; layers that TensorRT keeps in FP32 for their range
even then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.core.layer import Role
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.inspected import Inspected
from trex.rules.rule import Limit, Rule

_WORD = re.compile(r"[a-z0-9]+")
_COPIES = frozenset(("Reformat", "MyelinReformat", "NoOp", "Constant"))
_HALF = frozenset((DataType.FP16, DataType.BF16))
_PART = 0.5
_DOCUMENTS = (
    "TensorRT Developer Guide: Reduced Precision, INT8 with FP16 fallback",
    "TensorRT issues #550, #3762; pytorch/TensorRT #93",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    types = [layer.compute.data_type for layer in seen.layers]
    if DataType.INT8 not in types:
        return
    wide = [
        place
        for place, (layer, type_) in enumerate(zip(seen.layers, types))
        if type_ is DataType.FP32 and layer.role is Role.KERNEL and layer.type not in _COPIES
    ]
    if not wide:
        return
    written = next(
        (str(value) for key, value in seen.plan.build_metadata.build_options.items() if key.lower() == "precision"), ""
    )
    allowed = frozenset(_WORD.findall(written.lower()))
    if not allowed:
        if not _HALF.intersection(types):
            yield CannotTell(
                f"whether {len(wide):,} FP32 layers of an INT8 engine might be FP16: no file tells the build's options",
                "keep the log of the build, or its metadata, beside the graph",
                tuple(seen.layers[place].index for place in wide),
            )
        return
    if "int8" not in allowed or allowed & {"fp16", "bf16", "best", "strongly"}:
        return
    stake = seen.stake(wide, _PART)
    if seen.is_timed and sum(stake.values()) / _PART < limits["share"] / 100.0 * seen.total_ms:
        return
    wide.sort(key=lambda place: -stake.get(seen.layers[place].index, 0.0))
    yield Finding(
        f"built for {written} without FP16: {len(wide):,} of {len(seen.layers):,} layers compute in FP32 "
        f"(the first: {seen.layers[wide[0]].name})",
        tuple(seen.layers[place].index for place in wide),
        stake,
        "Σ ½ · t of the FP32 layers: FP16 halves their bytes and at least doubles the rate of products",
        (
            Evidence("precision of the build", written),
            Evidence("layers that compute in FP32", len(wide)),
            Evidence("their time", sum(stake.values()) / _PART if stake else None, "ms"),
        ),
        (
            "allow both: trtexec --int8 --fp16 (TensorRT up to 10), config.set_flag(trt.BuilderFlag.FP16)",
            "strongly typed: cast the branches that are not quantised to FP16 in the ONNX model, or export it in FP16",
        ),
        _DOCUMENTS,
        "with --fp16 the same layers compute in FP16 and take less",
        0.8,
    )


RULE = Rule(
    "BUILD001",
    "INT8 without FP16 beside it",
    Severity.WARNING,
    check,
    {"share": Limit(1.0, "%", "of the engine's time that the FP32 layers take, from which on it is told")},
)
