"""What the names of real kernels state, compared with the layers that run them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from trex.core.data_type import DataType
from trex.engine_plan import load_all
from trex.ingest.spelling.tactic_names import decode_tactic

_WINDOW = re.compile(r"windows of (\d+×\d+)")
_STRIDE = re.compile(r"strides of (\d+×\d+)")
_INSTRUCTION = re.compile(r"Tensor Core instructions of (\d+)×(\d+)×(\d+)")


def test_windows_strides_and_groups_are_those_of_the_layers(shared_engines: Path) -> None:
    compared: Counter[str] = Counter()
    for plan in load_all(shared_engines):
        for layer in plan.engine.layers:
            tactic, raw = decode_tactic(layer.tactic), layer.raw
            window = raw.get("Kernel") or raw.get("WindowSize")
            words = "; ".join(part.words for part in tactic.parts)
            if window and (stated := _WINDOW.search(words)):
                compared["window"] += 1
                assert list(map(int, stated[1].split("×"))) == window, layer.tactic
            if raw.get("Stride") and (stated := _STRIDE.search(words)):
                compared["stride"] += 1
                assert list(map(int, stated[1].split("×"))) == raw["Stride"], layer.tactic
            if "one group of channels" in words and "Groups" in raw:
                compared["groups"] += 1
                assert raw["Groups"] == 1, layer.tactic
            if tactic.algorithm == "winograd":
                compared["winograd"] += 1
                assert (raw["Kernel"], raw["Stride"]) == ([3, 3], [1, 1]), layer.tactic
            if any(part.text == "simple" for part in tactic.parts):
                compared["simple"] += 1
                assert (raw["Stride"], raw["PrePadding"]) == ([1, 1], [0, 0]), layer.tactic
            if any(part.text == "unit" or part.text == "unit_n" for part in tactic.parts):
                compared["one column"] += 1
                assert layer.outputs[0].shape is not None
                assert layer.outputs[0].shape[0] == 1, layer.tactic
    assert compared["window"] > 200
    assert compared["groups"] > 200
    assert all(compared[what] for what in ("stride", "winograd", "simple", "one column"))


def test_the_instruction_is_one_that_multiplies_the_type(shared_engines: Path) -> None:
    depths = {DataType.FP16: (8, 16), DataType.FP32: (4, 8), DataType.INT8: (16, 32)}
    count = 0
    for plan in load_all(shared_engines):
        for layer in plan.engine.layers:
            tactic = decode_tactic(layer.tactic)
            instruction = _INSTRUCTION.search("; ".join(part.words for part in tactic.parts))
            if instruction is None:
                continue
            steps = tuple(map(int, instruction.groups()))
            if tactic.input_type in depths:
                count += 1
                assert tactic.tensor_core
                assert steps[2] in depths[tactic.input_type], layer.tactic
                assert tactic.tf32 or tactic.input_type is not DataType.FP32, layer.tactic
            if tactic.tile:
                sides = zip(tactic.tile, steps, strict=True)
                assert all(side is None or side % step == 0 for side, step in sides), layer.tactic
    assert count > 200
