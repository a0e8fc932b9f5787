"""Values that notebooks and scripts of TREx compare or compute with."""

from __future__ import annotations

from pathlib import Path

import trex
from tests.launchers import script
from tests.simulated_examples import load_simulated


def test_weights_have_one_size(address: str) -> None:
    plan = trex.load(address)
    for layer, value in zip(plan.layers, plan.df["weights_size"], strict=True):
        sizes = {layer.weights_size, layer.fact.weights_size}
        assert len(sizes) == 1 and (value == layer.weights_size or (value != value and layer.weights_size is None))


def test_what_is_shown_keeps_the_classic_columns(address: str) -> None:
    plan = trex.load(address)
    shown = trex.clean_for_display(plan.df)
    assert not {"subtype", "TacticValue", "precision", "total_io_size_bytes"} & set(shown.columns)
    for name in (
        "Kernel",
        "Groups",
        "Stride",
        "Weights",
        "Metadata",
        "latency.time",
        "weights_size",
        "output_precision",
    ):
        assert name in shown or name not in plan.df, name
    convs = plan.get_layers_by_type("Convolution")
    assert "attr.groups" not in convs or "Groups" not in trex.clean_for_display(convs)


def test_types_of_tensors_are_in_the_words_of_trex() -> None:
    plan = load_simulated("resnet18-int8")
    for clean in (trex.clean_io, trex.clean_df, trex.clean_for_display):
        texts = clean(plan.df.copy())["Outputs"]
        assert texts.str.startswith("Int8 ").any() and not texts.str.contains("INT8").any()


LOG = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=m.engine
[03/25/2023-07:13:23] [I] === Device Information ===
[03/25/2023-07:13:23] [I] Selected Device: NVIDIA GeForce RTX 3090
[03/25/2023-07:13:23] [I] Compute Capability: 8.6
[03/25/2023-07:13:23] [I] SMs: 82
[03/25/2023-07:13:23] [I] Device Global Memory: 24256 MiB
[03/25/2023-07:13:23] [I] Memory Bus Width: 384 bits (ECC disabled)
[03/25/2023-07:13:23] [I] Compute Clock Rate: 1.695 GHz
[03/25/2023-07:13:23] [I]
"""


def test_facts_of_a_device_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "m.log"
    path.write_text(LOG)
    device = script("parse_trtexec_log").parse_profiling_log(str(path))["device_information"]
    assert device == {
        "Selected Device": "NVIDIA GeForce RTX 3090",
        "Compute Capability": 8.6,
        "SMs": 82.0,
        "Device Global Memory": "24256 MiB",
        "Memory Bus Width": 384.0,
        "Compute Clock Rate": 1.695,
    }
