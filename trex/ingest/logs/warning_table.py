"""The warnings of trtexec and TensorRT that users overlook: what they say, how grave it is, what to do about it."""

from __future__ import annotations

from typing import NamedTuple


class WarningNote(NamedTuple):
    """A known warning as the Note it becomes. words: what the message contains. next_step: where the log has none."""

    code: str
    words: str
    next_step: str
    severity: str = "warning"


def _known() -> tuple[WarningNote, ...]:
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
            "for the latency of one inference measure with one stream",
            "info",
        ),
        WarningNote(
            "no-end-to-end-timing",
            "e2e network timing is not reported",
            "measure the whole inference in a run of its own: --separateProfileRun",
            "info",
        ),
        WarningNote(
            "shape-chosen-by-trtexec",
            "Automatically overriding shape",
            "give the shapes that you use: --minShapes, --optShapes, --maxShapes to build, --shapes to run",
        ),
        WarningNote(
            "shape-chosen-by-trtexec",
            "Automatically setting shape",
            "give the shapes that you use: --shapes=NAME:DIMS",
        ),
        WarningNote(
            "weights-out-of-range",
            "weights are affected by this issue",
            "compare the outputs with the model's; keep the layers with such weights in FP32, or in BF16",
        ),
        WarningNote(
            "weights-narrowed",
            "Attempting to cast down to INT32",
            "export the model with INT32 indices, or build with TensorRT 10 and later, which has INT64",
            "info",
        ),
        WarningNote(
            "weights-clamped",
            "outside the range of INT32",
            "compare the outputs with the model's: values beyond INT32 were cut to its limits",
        ),
        WarningNote(
            "tactics-skipped-for-memory",
            "memory on requested size",
            "free memory of the GPU (nvidia-smi shows who holds it), or build where there is more",
        ),
        WarningNote(
            "tactics-skipped-for-memory",
            "Device memory is insufficient to use tactic",
            "free memory of the GPU (nvidia-smi shows who holds it), or build where there is more",
        ),
        WarningNote(
            "tactics-skipped-for-workspace",
            "do not have sufficient workspace memory",
            "give a larger workspace, in MiB and without a unit: --memPoolSize=workspace:4096",
        ),
        WarningNote(
            "timing-cache-not-read",
            "timing cache, setup a local cache",
            "the first build writes it; if it was there, it is of another GPU or release: build again with the new one",
            "info",
        ),
        WarningNote(
            "timing-cache-not-read",
            "Could not read timing cache",
            "the first build writes it; if it was there, its path or its permissions are wrong",
            "info",
        ),
        WarningNote(
            "timing-cache-not-read",
            "Could not read cache from",
            "the first build writes it; if it was there, its path or its permissions are wrong",
            "info",
        ),
        WarningNote(
            "timing-cache-miss",
            "iming cache miss",
            "fill the cache by a build without --errorOnTimingCacheMiss",
        ),
        WarningNote(
            "dla-fallback",
            "is not supported on DLA, falling back to GPU",
            "each change between DLA and GPU costs a reformat: replace these layers by ones that DLA runs",
        ),
        WarningNote(
            "dla-fallback",
            "Unsupported on DLA. Switching",
            "each change between DLA and GPU costs a reformat: replace these layers by ones that DLA runs",
        ),
        WarningNote(
            "dla-fallback",
            "DLA only supports FP16 and Int8",
            "each change between DLA and GPU costs a reformat: build with --fp16 or --int8",
        ),
        WarningNote(
            "no-scale-for-int8",
            "Missing scale and zero-point",
            "quantize the tensor in the model (Q/DQ), or calibrate with data that reaches it",
        ),
        WarningNote(
            "no-calibration",
            "Calibrator is not being used",
            "the outputs are wrong unless the model has scales of its own: give --calib=FILE, or quantize it (Q/DQ)",
        ),
        WarningNote(
            "precision-not-obeyed",
            "obeys the requested constraints",
            "see which precision the layers ran in: trex table; on one that has no such kernel ask for another",
        ),
        WarningNote(
            "engine-of-another-gpu",
            "engine plan file across different models of devices",
            "build the engine on the GPU that it runs on, or with --hardwareCompatibilityLevel",
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


KNOWN_WARNINGS = _known()
"""In order: the first whose words are in a message is what it is."""

COUNTED = frozenset(
    (
        "tactics-skipped-for-memory",
        "tactics-skipped-for-workspace",
        "dla-fallback",
        "no-scale-for-int8",
        "precision-not-obeyed",
    )
)
"""Of these the library tells one for each layer or tactic: they become one Note that counts them."""
