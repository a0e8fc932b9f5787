"""How fast: reading verbose build logs of 1 to 100 MB, and how much memory that takes.

Run ``python -m tests.benchmarks --only logs`` (half a minute).

How it measures
    A log is made from the words of the builder (``verbose_log``): import, tuning with a few tactics per runner, the
    layers of the engine, the run. No two tactics are equal, so that it compresses as a real one does.
    Every repetition is a process of its own that finds the file (``find_engines``) and reads it (``read_artifacts``),
    as ``trex summary LOG`` does. The table shows the best repetition, the JSON all of them. Peak memory is that of one
    reading, less the imports' own peak; a small log has been read before.

Targets
    50 MB/s, plain or compressed, from 10 MB on; at most 10 MB of memory for a log of any size. All tactics of 100 MB,
    and what ``trex tactics`` says of them: 6 s and 300 MB.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.table import Line, Part, child

SIZES_MB = (1, 10, 100)
JUDGED_FROM_MB = 10
SPEED_MB_S, MEMORY_MB = 50.0, 10.0
TACTICS_S, TACTICS_MB = 6.0, 300.0
_CLOCK = "[04/30/2026-18:15:41]"
_LAYERS = 200
_CHOICES = 10 * _LAYERS


def parts(folder: Path, sizes_mb: tuple[int, ...], repeats: int) -> list[Part]:
    """What is measured, in order."""
    return [("logs", partial(reading, folder, sizes_mb, repeats))]


def reading(folder: Path, sizes_mb: tuple[int, ...], repeats: int) -> Iterator[Line]:
    """Speed and peak memory for each size; of the largest also compressed, and as mpirun tags it."""
    for size in sizes_mb:
        path = write_log(folder / f"{size}" / "x.log", size * 1_000_000)
        yield from _measured(f"log of {size} MB", path, size, repeats)
    yield from _analyzed(path, size, repeats)
    for what, written in (
        ("gzip", _gzipped(path)),
        ("zstd", _zstandard(path)),
        ("prefixed", _prefixed(path)),
    ):
        if written is not None:
            yield from _measured(f"log of {size} MB, {what}", written, size, repeats)


def _measured(what: str, path: Path, size_mb: int, repeats: int) -> Iterator[Line]:
    turns = [child("log", str(path)) for _ in range(repeats)]
    plain_mb = turns[0]["bytes"] / 1e6
    samples = tuple(plain_mb / turn["seconds"] for turn in turns)
    aside = f"{min(turn['seconds'] for turn in turns):.2f} s, {turns[0]['layers']} layers"
    target = SPEED_MB_S if size_mb >= JUDGED_FROM_MB else None
    yield Line(what, max(samples), "MB/s", target, aside, samples, is_least=True)
    peaks = [turn["peak_bytes"] for turn in turns]
    peak = None if None in peaks else max(peaks) / 1e6
    yield Line("  peak memory", peak, "MB", MEMORY_MB)


def _analyzed(path: Path, size_mb: int, repeats: int) -> Iterator[Line]:
    """All tactics of the log, and what ``trex tactics`` says of them."""
    turns = [child("build-log", str(path)) for _ in range(repeats)]
    samples = tuple(turn["seconds"] for turn in turns)
    aside = f"{turns[0]['timings']:,} timings"
    yield Line(f"tactics in a log of {size_mb} MB", min(samples), "s", TACTICS_S, aside, samples)
    peaks = [turn["peak_bytes"] for turn in turns]
    peak = None if None in peaks else max(peaks) / 1e6
    yield Line("  peak memory", peak, "MB", TACTICS_MB)


def write_log(path: Path, size: int) -> Path:
    """A verbose log of about ``size`` bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for line in verbose_log(size):
            written += file.write(line + "\n")
    return path


def verbose_log(size: int) -> Iterator[str]:
    """The lines of a build and a run; the tuning goes on until ``size`` characters are written."""
    chance = random.Random(1)

    def line(text: str, severity: str = "V", speaker: str = "[TRT] ") -> str:
        return f"{_CLOCK} [{severity}] {speaker}{text}"

    def builder_line(text: str, severity: str = "I") -> str:
        return line(text, severity, "")

    banner = "TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=net.onnx --fp16 --verbose"
    yield f"&&&& RUNNING {banner}"
    for text in (
        "=== Model Options ===", "Format: ONNX", "Model: net.onnx", "=== Build Options ===", "Precision: FP32+FP16",
        "=== Device Information ===", "Selected Device: NVIDIA A100", "", "TensorRT version: 10.16.0",
    ):  # fmt: skip
        yield builder_line(text)
    written = 0
    number = 0
    while written < size:
        name = f"/model/layers.{number % _LAYERS}/conv/Conv + /model/layers.{number % _LAYERS}/act/Relu"
        number += 1
        shape = f"Half({chance.randrange(1, 9) * 3136},1:8,56,8)"
        lines = [
            line(f"Parsing node: /model/layers.{number}/conv/Conv [Conv]"),
            line(f"=============== Computing costs for {name}"),
            line(f"*************** Autotuning format combination: {shape} -> {shape} ***************"),
            line(f"--------------- Timing Runner: {name} (CaskConvolution[0x80000009])"),
        ]
        fastest = (1.0, 0)
        for _ in range(12):
            tactic, time = chance.getrandbits(64), round(chance.random(), 6)
            fastest = min(fastest, (time, tactic))
            kernel = (
                f"sm80_xmma_fprop_implicit_gemm_f16f16_tilesize128x{chance.randrange(32, 256)}x32_stage3_warpsize2x2"
            )
            lines.append(line(f"Tactic Name: {kernel} Tactic: 0x{tactic:016x} Time: {time:.6g}"))
            lines.append(line(f"Tactic: 0x{tactic:016x} Time: {time:.6g}"))
        lines.append(
            line(
                f"{name} (CaskConvolution[0x80000009]) profiling completed in {chance.random():.6g} seconds. "
                f"Fastest Tactic: 0x{fastest[1]:016x} Time: {fastest[0]:.6g}"
            )
        )
        if number <= _CHOICES:  # a small engine does not have more, however long its tuning
            tactic = fastest[1]
        lines.append(line(f">>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x{tactic:016x}"))
        if number % 50 == 0:
            lines.append(line(f"Tactic: 0x{tactic:016x} skipped. Scratch requested: {number}, available: 1"))
            lines.append(line(f"Layer '{name}' (CONVOLUTION): Unsupported on DLA. Switching this layer's device", "W"))
        written += sum(map(len, lines)) + len(lines)
        yield from lines
    yield line("Engine generation completed in 812.5 seconds.", "I")
    yield line("Engine Layer Information:")
    for layer in range(_LAYERS):
        yield (
            f"Layer(CaskConvolution): layer {layer}, Tactic: 0x{chance.getrandbits(64):016x}, "
            f"t{layer} (Half[1,64:8,56,56]) -> t{layer + 1} (Half[1,64:8,56,56])"
        )
    yield builder_line("Engine built in 815.25 sec.")
    for _ in range(1000):
        yield builder_line("Average on 10 runs - GPU latency: 0.0288 ms - Host latency: 0.039 ms (enqueue 0.0237 ms)")
    yield builder_line("=== Performance summary ===")
    yield builder_line("Throughput: 20181.8 qps")
    yield builder_line("* GPU compute time is unstable, with coefficient of variance = 28.085%.", "W")
    yield f"&&&& PASSED {banner}"


def _gzipped(path: Path) -> Path:
    packed = path.with_name("gzip.log.gz")
    with path.open("rb") as file, gzip.open(packed, "wb", compresslevel=1) as out:
        while block := file.read(1 << 20):
            out.write(block)
    return packed


def _zstandard(path: Path) -> Path | None:
    try:
        import zstandard
    except ImportError:
        return None
    packed = path.with_name("zstd.log.zst")
    with path.open("rb") as file, packed.open("wb") as out:
        zstandard.ZstdCompressor(level=1).copy_stream(file, out)
    return packed


def _prefixed(path: Path) -> Path:
    tagged = path.with_name("tagged.log")
    with path.open("rb") as file, tagged.open("wb") as out:
        out.writelines(b"[1,0]<stdout>:" + line for line in file)
    return tagged
