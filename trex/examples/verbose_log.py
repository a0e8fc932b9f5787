"""A verbose build log of any length, made by us after the wording of TensorRT 10.16; its times are invented.

For examples and tests: real logs with timings need a GPU. Its first line says that it is made.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator

MADE_BY_TREX = "# Made by trex after the wording of TensorRT 10.16. No engine was built, and all times are invented."

_RUNNER, _ID = "CaskConvolution", "0x80000009"
_FORMATS = (
    ("Float(784,784,28,1)", "f32f32_f32f32_f32_nchwkcrs_nchw", 2.1),
    ("Half(784,784,28,1)", "f16f16_f16f32_f32_nchwkcrs_nchw", 1.5),
    ("Half(98,1:8,28,1)", "f16f16_f16f16_f16_nhwckrsc_nhwc", 1.0),
)
_SHAPES = ("Float[1,64,28,28]", "Half[1,64,28,28]", "Half[1,64:8,28,28]")
_USED = 2
_TIMING_S = 0.012


def verbose_log(layers: int = 10, tactics: int = 14, name: str = "example.onnx", seed: int = 7) -> Iterator[str]:
    """Its lines, each with its end: the same for the same arguments.

    layers: convolutions; every fourth choice is a near tie. tactics: timed for each of three formats of a layer, and
    three for each reformat.
    """
    clock = _Clock()
    chance = random.Random(seed)
    yield f"{MADE_BY_TREX}\n"
    command = f"trtexec --onnx={name} --fp16 --verbose --builderOptimizationLevel=3"
    yield f"&&&& RUNNING TensorRT.trtexec [TensorRT v101600] [b72] # {command}\n"
    yield clock("[I] Start parsing network model.")
    yield clock("[I] Finished parsing network model. Parse time: 0.0312")
    yield clock(f"[V] [TRT] Original: {3 * layers} layers")
    for number in range(layers):
        yield clock(f"[V] [TRT] ConvReluFusion: Fusing conv{number} with relu{number}")
    yield clock(f"[V] [TRT] After vertical fusions: {layers} layers")
    yield clock("[V] [TRT] Building graph using backend strategy 2")
    yield clock("[I] [TRT] Global timing cache in use. Profiling results in this builder pass will be stored.")
    start_s = clock.seconds
    engine: list[str] = []
    for number in range(layers):
        layer = f"conv{number} + relu{number}"
        base_ms = 0.004 * (1 + number % 5) * chance.uniform(0.9, 1.3)
        yield clock(f"[V] [TRT] =============== Computing costs for {layer}")
        for index, (formats, kind, factor) in enumerate(_FORMATS):
            chosen = yield from _combination(clock, chance, layer, (formats, kind), base_ms * factor, tactics, number)
            if index == _USED:
                shape = _SHAPES[index]
                source = "x" if number == 0 else f"t{number - 1}"
                engine.append(
                    f"Layer({_RUNNER}): {layer}, Tactic: {chosen}, {source} ({shape}) -> t{number} ({shape})\n"
                )
    for number in range(layers):
        yield from _reformats(clock, chance, "x" if number == 0 else f"t{number - 1}")
    selection_s = clock.seconds - start_s
    yield clock(f"[V] [TRT] Formats and tactics selection completed in {selection_s:.4g} seconds.")
    yield clock(f"[V] [TRT] After reformat layers: {layers} layers")
    yield clock(f"[I] [TRT] Engine generation completed in {selection_s + 0.8:.4g} seconds.")
    yield clock("[V] [TRT] Use backend strategy 2 with estimated inference time (0.1) as the initial choice.")
    yield clock(f"[I] Engine built in {selection_s + 1.4:.4g} sec.")
    yield clock("[V] [TRT] Engine Layer Information:")
    yield from engine
    yield clock(f"[I] [TRT] Serialized {5 * layers} timing cache entries")
    yield f"&&&& PASSED TensorRT.trtexec [TensorRT v101600] [b72] # {command}\n"


class _Clock:
    """A message with the builder's clock in front."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, message: str) -> str:
        whole = int(self.seconds)
        hours, minutes, seconds = 3 + whole // 3600, whole // 60 % 60, whole % 60
        return f"[01/{2 + hours // 24:02}/2026-{hours % 24:02}:{minutes:02}:{seconds:02}] {message}\n"


def _combination(
    clock: _Clock,
    chance: random.Random,
    layer: str,
    words: tuple[str, str],
    best_ms: float,
    tactics: int,
    number: int,
) -> Generator[str, None, str]:
    """One combination of formats of a layer; returns the chosen tactic."""
    formats, kind = words
    runner = f"{layer} ({_RUNNER}[{_ID}])"
    yield clock(f"[V] [TRT] *************** Autotuning format combination: {formats} -> {formats} ***************")
    yield clock(f"[V] [TRT] --------------- Timing Runner: {runner}")
    times = [best_ms * (1.03 + 0.09 * index * chance.uniform(0.8, 1.2)) for index in range(tactics)]
    if number % 4 == 0 and tactics > 1:
        times[1] = times[0] * chance.uniform(1.001, 1.018)
    each_s = _TIMING_S * (1 + 7 * number % 5)
    fastest = min(range(tactics), key=times.__getitem__)
    ids = [f"0x{chance.getrandbits(64):016x}" for _ in range(tactics)]
    order = list(range(tactics))
    chance.shuffle(order)
    for index in order:
        tile = f"tilesize{32 << index % 3}x{32 << index // 3 % 3}x{16 << index % 2}_stage{1 + index % 4}"
        kernel = f"sm80_xmma_fprop_implicit_gemm_{kind}_{tile}_warpsize2x2x1_g1_v{index}"
        yield clock(f"[V] [TRT] Tactic Name: {kernel} Tactic: {ids[index]} Time: {times[index]:.6g}")
        clock.seconds += each_s
    if number % 5 == 2:
        yield clock("[V] [TRT] Tactic: 0x0000000000000007 skipped. Scratch requested: 75497472, available: 33554432")
    spent_s = each_s * tactics
    yield clock(
        f"[V] [TRT] {runner} profiling completed in {spent_s:.6g} seconds. Fastest Tactic: {ids[fastest]} "
        f"Time: {times[fastest]:.6g}"
    )
    yield clock(f"[V] [TRT] Skipping CaskFlattenConvolution: No valid tactics for {layer}")
    yield clock(f"[V] [TRT] >>>>>>>>>>>>>>> Chose Runner Type: {_RUNNER} Tactic: {ids[fastest]}")
    return ids[fastest]


def _reformats(clock: _Clock, chance: random.Random, tensor: str) -> Iterator[str]:
    runner = f"Optimizer Reformat({tensor} -> <out>) (Reformat[0x80000006])"
    yield clock("[V] [TRT] =============== Computing reformatting costs for available format set")
    for source, _, _ in _FORMATS:
        for target, _, _ in _FORMATS:
            if source == target:
                continue
            times = [0.003 * chance.uniform(1.0, 1.4) for _ in range(3)]
            ids = ("0x00000000000003e8", "0x00000000000003ea", "0x0000000000000000")
            yield clock(f"[V] [TRT] *************** Autotuning Reformat: {source} -> {target} ***************")
            yield clock(f"[V] [TRT] --------------- Timing Runner: {runner}")
            for tactic, time_ms in zip(ids, times, strict=True):
                yield clock(f"[V] [TRT] Tactic: {tactic} Time: {time_ms:.6g}")
                clock.seconds += _TIMING_S / 2
            fastest = min(range(3), key=times.__getitem__)
            yield clock(
                f"[V] [TRT] {runner} profiling completed in {1.5 * _TIMING_S:.6g} seconds. Fastest Tactic: "
                f"{ids[fastest]} Time: {times[fastest]:.6g}"
            )
