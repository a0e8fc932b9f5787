"""The bundled engines: complete, fresh, small, true to their architecture, and marked as simulated."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import pytest

from tests.synthetic.measurements import statistics
from trex.core.errors import TrexError
from trex.examples import folder, names

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NAMES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16")
SUFFIXES = (".build.metadata.json", ".graph.json", ".profile.json", ".profile.metadata.json", ".timing.json")


@cache
def read(name: str, suffix: str) -> Any:
    return json.loads((folder(name) / f"{name}{suffix}").read_text(encoding="utf-8"))


def layers(name: str) -> list[dict[str, Any]]:
    return read(name, ".graph.json")["Layers"]


def is_int8_convolution_with_float_output(layer: dict[str, Any]) -> bool:
    return layer.get("Weights", {}).get("Type") == "Int8" and "Int8" not in layer["Outputs"][0]["Format/Datatype"]


def test_the_names_are_those_of_the_folders() -> None:
    assert names() == NAMES


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(TrexError, match="did you mean resnet18-int8") as error:
        folder("resnet18-in8")
    assert "transformer-fp16" in error.value.hint


def test_a_path_is_not_a_name() -> None:
    with pytest.raises(TrexError):
        folder("../examples/resnet18-int8")


@pytest.mark.parametrize("name", NAMES)
def test_every_example_has_its_five_files(name: str) -> None:
    assert sorted(path.name for path in folder(name).iterdir()) == sorted(name + suffix for suffix in SUFFIXES)


@pytest.mark.parametrize("name", NAMES)
def test_every_example_says_that_it_is_simulated(name: str) -> None:
    for suffix in (".build.metadata.json", ".profile.metadata.json"):
        section = read(name, suffix)["simulated"]
        assert "nothing was built or measured" in section["statement"]
        assert section["expected_from_ms"] < section["compute_ms"] < section["expected_to_ms"]
        assert section["subject"]
    assert "nothing was built or measured" in read(name, ".graph.json")["Simulated"]
    assert all(layer["TacticName"].startswith("sim_") for layer in layers(name) if layer.get("TacticName"))


def test_together_they_are_under_a_megabyte() -> None:
    assert sum(path.stat().st_size for name in NAMES for path in folder(name).iterdir()) < 1_000_000


def test_they_are_what_the_script_writes() -> None:
    script = REPOSITORY / "utils" / "write_examples.py"
    check = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr


def test_int8_matches_the_published_story() -> None:
    kinds = Counter(layer["LayerType"] for layer in layers("resnet18-int8"))
    assert len(layers("resnet18-int8")) == 36
    assert kinds["Reformat"] == 12
    assert sum(map(is_int8_convolution_with_float_output, layers("resnet18-int8"))) == 13
    kinds = Counter(layer["LayerType"] for layer in layers("resnet18-int8-residual"))
    assert kinds["Reformat"] == 3
    assert kinds["ConvActPool"] == 1


@pytest.mark.parametrize("name", NAMES[:3])
def test_resnet18_has_the_parameters_of_its_architecture(name: str) -> None:
    """11 678 912 weights in convolutions and the classifier: torchvision's 11 689 512 less the batch norms and bias."""
    count = sum((layer.get("Weights") or layer.get("ConvWeights") or {"Count": 0})["Count"] for layer in layers(name))
    inputs = [tensor for layer in layers(name) if layer["LayerType"] == "gemm" for tensor in layer["Inputs"]]
    count += sum(prod(tensor["Dimensions"]) for tensor in inputs if tensor["Name"] == "fc.weight")
    assert count == 11_678_912


def test_the_transformer_is_written_in_myelins_style() -> None:
    kinds = Counter(layer["LayerType"] for layer in layers("transformer-fp16"))
    assert {"kgen", "gemm"} <= set(kinds)
    assert sum("_mha_" in layer["Name"] for layer in layers("transformer-fp16")) == 12
    assert any("\x1f" in layer["Metadata"] for layer in layers("transformer-fp16"))
    assert "Half" in {tensor["Format/Datatype"] for layer in layers("transformer-fp16") for tensor in layer["Inputs"]}


@pytest.mark.parametrize("name", NAMES)
def test_every_tensor_that_is_read_was_written_or_comes_from_outside(name: str) -> None:
    known = set(read(name, ".graph.json")["Bindings"])
    for layer in layers(name):
        for tensor in layer["Inputs"]:
            is_stored = layer["LayerType"] in ("gemm", "kgen")  # which list what they hold among their inputs
            assert tensor["Name"] in known or is_stored, tensor
        known.update(tensor["Name"] for tensor in layer["Outputs"])
    assert known >= set(read(name, ".graph.json")["Bindings"])


@pytest.mark.parametrize("name", NAMES)
def test_the_profile_names_every_layer_and_adds_up(name: str) -> None:
    head, *rows = read(name, ".profile.json")
    assert [row["name"] for row in rows] == [layer["Name"] for layer in layers(name)]
    assert sum(row["percentage"] for row in rows) == pytest.approx(100, abs=0.01)
    for row in rows:
        assert row["timeMs"] == pytest.approx(row["averageMs"] * head["count"], rel=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_is_that_of_the_queries(name: str) -> None:
    compute = [row["computeMs"] for row in read(name, ".timing.json")]
    summary = read(name, ".profile.metadata.json")["performance_summary"]
    assert summary["GPU Compute Time"] == pytest.approx(statistics(compute, "10.4"), rel=1e-5)
    layers_ms = sum(row["averageMs"] for row in read(name, ".profile.json")[1:])
    assert 0.4 < summary["GPU Compute Time"][3] / layers_ms < 1  # every layer has the profiler's own time in its
