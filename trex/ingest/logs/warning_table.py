"""The warnings of trtexec and TensorRT that users overlook: their text, severity and remedy."""

from __future__ import annotations

from typing import NamedTuple

NO_END_TO_END = "no-end-to-end-timing"
NOT_CAPTURED = "cuda-graph-not-captured"


class WarningNote(NamedTuple):
    """A known warning as a Note. phrase, others: in its messages. next_step: the hint if the log has none."""

    code: str
    phrase: str
    next_step: str
    severity: str = "warning"
    others: tuple[str, ...] = ()


def _known_warnings() -> tuple[WarningNote, ...]:
    return (
        WarningNote(
            "unstable-gpu-time",
            "GPU compute time is unstable",
            "lock the GPU's clocks while measuring, as trex process does",
        ),
        WarningNote(
            "enqueue-bound",
            "may be bound by Enqueue Time",
            "launch the layers as one CUDA graph: --useCudaGraph (the default of TensorRT 11)",
        ),
        WarningNote(
            NOT_CAPTURED,
            "not permitted under CUDA graph capture mode",
            "the kernels were launched one by one: shapes that depend on data (NonZero, NMS), loops and plugins that "
            "synchronize prevent a capture",
            others=("CUDA graph capture failed",),
        ),
        WarningNote(
            "host-to-device-bound",
            "bound by host-to-device",
            "measure without transfers (--noDataTransfers, the default of TensorRT 11), or keep the inputs on the GPU",
        ),
        WarningNote(
            "device-to-host-bound",
            "bound by device-to-host",
            "measure without transfers (--noDataTransfers, the default of TensorRT 11), or keep the outputs on the GPU",
        ),
        WarningNote(
            "auxiliary-streams",
            "auxiliary streams, so the",
            "layers of several streams overlap: for times that add up, build with --maxAuxStreams=0",
        ),
        WarningNote(
            "multi-stream-latency",
            "latencies from multi-stream",
            "measure the latency of one inference with a single stream",
            "info",
        ),
        WarningNote(
            NO_END_TO_END,
            "e2e network timing is not reported",
            "measure the whole inference in a separate run: --separateProfileRun",
            "info",
        ),
        WarningNote(
            "shape-chosen-by-trtexec",
            "Automatically overriding shape",
            "give your shapes: --shapes=input:1x3x224x224",
            others=("Automatically setting shape",),
        ),
        WarningNote(
            "weights-out-of-range",
            "weights are affected by this issue",
            "compare the outputs with the model's; keep the layers with such weights in FP32 or BF16",
        ),
        WarningNote(
            "weights-narrowed",
            "Attempting to cast down to INT32",
            "export the model with INT32 indices, or build with TensorRT 10 or later, which supports INT64",
            "info",
        ),
        WarningNote(
            "weights-clamped",
            "outside the range of INT32",
            "compare the outputs with the model's: values beyond INT32 were clamped",
        ),
        WarningNote(
            "tactics-skipped-for-memory",
            "memory on requested size",
            "free GPU memory (nvidia-smi shows the processes that use it), or build on a GPU with more",
            others=("Device memory is insufficient to use tactic",),
        ),
        WarningNote(
            "tactics-skipped-for-workspace",
            "do not have sufficient workspace memory",
            "give a larger workspace, in MiB and without a unit: --memPoolSize=workspace:4096",
        ),
        WarningNote(
            "timing-cache-not-read",
            "timing cache, setup a local cache",
            "the first build writes it; an existing one is of another GPU or release, or its path or permissions are "
            "wrong",
            "info",
            others=("Could not read timing cache", "Could not read cache from", "does not fit this TensorRT and GPU"),
        ),
        WarningNote(
            "timing-cache-miss",
            "iming cache miss",
            "fill the cache by a build without --errorOnTimingCacheMiss",
        ),
        WarningNote(
            "dla-fallback",
            "is not supported on DLA, falling back to GPU",
            "each change between DLA and GPU costs a reformat: build with --fp16 or --int8, replace layers that the "
            "DLA does not support",
            others=("Unsupported on DLA. Switching", "DLA only supports FP16 and Int8"),
        ),
        WarningNote(
            "no-scale-for-int8",
            "Missing scale and zero-point",
            "quantize the tensor in the model (Q/DQ), or calibrate with data that reaches it",
        ),
        WarningNote(
            "no-calibration",
            "Calibrator is not being used",
            "the outputs are wrong unless the model has its own scales: pass --calib=FILE, or quantize it (Q/DQ)",
        ),
        WarningNote(
            "precision-not-obeyed",
            "obeys the requested constraints",
            "trex layers lists the precision of each layer; request another one for layers without such a kernel",
        ),
        WarningNote(
            "engine-of-another-gpu",
            "engine plan file across different models of devices",
            "build the engine on the GPU that runs it, or with --hardwareCompatibilityLevel",
        ),
        WarningNote(
            "default-stream",
            "Using default stream in enqueue",
            "create a CUDA stream and pass it to the execution",
            "info",
        ),
        WarningNote(
            "aux-streams-left-out",
            "Multi stream is disabled because",
            "",
            "info",
        ),
        WarningNote(
            "deprecated-option",
            "deprecated",
            "a later release refuses it",
            "info",
        ),
    )


KNOWN_WARNINGS = _known_warnings()
"""The first entry with a phrase in a message applies."""

COUNTED = frozenset(
    (
        "tactics-skipped-for-memory",
        "tactics-skipped-for-workspace",
        "dla-fallback",
        "no-scale-for-int8",
        "precision-not-obeyed",
    )
)
"""The library prints one of these per layer or tactic: they become one Note with a count."""


_PHRASES = tuple((phrase, known) for known in KNOWN_WARNINGS for phrase in (known.phrase, *known.others))


def known_warning(text: str) -> WarningNote | None:
    for phrase, known in _PHRASES:  # without a generator: a log may have a million warnings
        if phrase in text:
            return known
    return None
