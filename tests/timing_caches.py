"""Timing caches made by us, in both layouts that trex knows; the real ones are next to the repository."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from tests.conftest import SHARED
from trex.core.timing_cache import MYELIN, NATIVE, TimingCacheEntry

CACHES = SHARED / "caches"
# As NVIDIA publishes them, in TensorRT-Model-Connect's contract of its SAM 3 engines.
PUBLISHED = {
    "trt10.15-l4-sam3-core.timing.cache": "b0091651f03bcca652880982c5aac1b3be3968f2831e4d1cbff78b95b2820d4d",
    "trt10.15-l4-sam3-text-encoder.timing.cache": "30f1d96d3c282a00b75f1e6ba1f995859f7e2abee0c7cf40bf59ba364c3155ab",
}
DEVICE_HASH, BUILD_HASH = bytes(range(16)), b"0123456789abcdef"
EMPTY_COMPILATION = b"0\n\n"
LAYOUTS = ("10", "8.6")


def entry_bytes(entry: TimingCacheEntry, low: int = 0) -> bytes:
    """One native entry."""
    words = (int(entry.key[2 + 8 * index : 10 + 8 * index], 16) for index in range(4))
    time_ms = 0.0 if entry.time_ms is None else entry.time_ms
    runner = entry.runner or 0
    return struct.pack(
        "<HHHQ4I HHQ HHf HHB HHI HHB HHQ HHq HHq",
        *(0x8001, 0x8006, 1, 4, *words, 0x8008, 1, 1, 0x800B, 1, time_ms, 0x800A, 1, 1),
        *(0x8006, 1, runner, 0x800A, 1, 1, 0x8008, 1, entry.tactic, 0x8009, 1, low, 0x8009, 1, 2**63 - 1),
    )


def myelin_line(entry: TimingCacheEntry) -> str:
    words = " ".join(str(int(entry.key[2 + 8 * index : 10 + 8 * index], 16)) for index in range(4))
    return f"{words} {entry.tactic} {entry.time_ms:.6e} 18446744073709551615 0 1 14732016200566613442"


def _hash(value: bytes) -> bytes:
    return struct.pack("<HHQHHHQ16s", 0x8018, 1, 16, 0x8001, 0x800C, 1, 16, value)


def _array(value: bytes) -> bytes:
    return struct.pack("<HHQHHHQ", 0x8008, 1, len(value), 0x8001, 0x8003, 1, len(value)) + value


def cache_bytes(
    entries: Sequence[TimingCacheEntry],
    layout: str = "10",
    *,
    version: int | None = None,
    device_hash: bytes = DEVICE_HASH,
    build_hash: bytes = BUILD_HASH,
    compilation: bytes = EMPTY_COMPILATION,
    myelin_version: str = "5150",
) -> bytes:
    """A whole file: layout ``10`` or ``8.6``, with the newest stream version that was seen of it."""
    native = [entry for entry in entries if entry.kind == NATIVE]
    lines = ["file_format_version=1", myelin_version, *(myelin_line(entry) for entry in entries if entry not in native)]
    body = _hash(device_hash) + _hash(build_hash) + struct.pack("<HHQ", 0x8008, 1, len(native))
    body += b"".join(map(entry_bytes, native)) + _array("".join(f"{line}\n" for line in lines).encode())
    body += _array(compilation)
    if layout == "10":
        return b"ptrt" + struct.pack("<IQI", 240 if version is None else version, len(body), 0) + body
    return b"ptrt" + struct.pack("<IIIQ", 0, 239 if version is None else version, 0, len(body)) + body


def made_entries(native: int = 5, myelin: int = 4, seed: int = 0) -> tuple[TimingCacheEntry, ...]:
    """Times are numbers of 32 bits, as in caches."""
    random = Random(seed)

    def single(value: float) -> float:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])

    def key() -> str:
        return f"0x{random.getrandbits(128):032x}"

    entries = [
        TimingCacheEntry(key(), random.choice((0, 1000, 1002, random.getrandbits(64))), single(random.random()),
                         NATIVE, random.choice((0x80000006, 0x80000009, 0x8000000D)))
        for _ in range(native)
    ]  # fmt: skip
    entries += [
        TimingCacheEntry(key(), random.getrandbits(50), float(f"{random.random():.6e}"), MYELIN) for _ in range(myelin)
    ]
    return tuple(entries)


def retimed(entries: Sequence[TimingCacheEntry], factor: float) -> tuple[TimingCacheEntry, ...]:
    """The same tactics, timed on another day."""
    return tuple(replace(entry, time_ms=None if entry.time_ms is None else entry.time_ms * factor) for entry in entries)


def keyed_log(entries: Sequence[TimingCacheEntry]) -> str:
    """A verbose log of a build with EDITABLE_TIMING_CACHE, as TensorRT's own sample of it prints."""
    lines = ["&&&& RUNNING TensorRT.trtexec [TensorRT v101500] # trtexec --onnx=m.onnx --verbose"]
    for number, entry in enumerate(entries):
        for text in (
            f"Autotuning op matMul{number}(key: {entry.key}):",
            "Sorted table of all evaluated tactics:",
            "tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, kernel_name, tactic_hash, tunable",
            f"3, {entry.time_ms:.7f}, 1.00000, 0.50673, sm80_xmma_gemm_f32f32_f32, 0x{entry.tactic:x},",
            f"The selected tactic is (tactic hash, cost(in ms)):0x{entry.tactic:x}, {entry.time_ms:.7f}",
        ):
            lines.append(f"[01/02/2026-03:04:05] [V] [TRT] {text}")
    return "\n".join([*lines, GENERATED]) + "\n"


GENERATED = "[01/02/2026-03:04:06] [I] [TRT] Engine generation completed in 1.5 seconds."
"""The last line of a build."""


def write_record(path: Path, tactics: dict[str, int]) -> Path:
    """A record as short as may be."""
    rows = {key: {"tactic": f"0x{tactic:x}", "time_ms": 1.0} for key, tactic in tactics.items()}
    path.write_text(json.dumps({"schema": "trex.tactics/1", "tactics": rows}), encoding="utf-8")
    return path
