"""The bundled engines: complete, fresh, small, true to their architecture, and marked as what they are."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.capture.backends.test_tensorrt_rtx import NEEDS_WHEELS
from tests.synthetic.measurements import statistics
from trex.core.errors import TrexError
from trex.core.provenance import Provenance
from trex.engine_plan import load_example
from trex.examples import folder, names

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NAMES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16")
SUFFIXES = (".build.metadata.json", ".graph.json", ".profile.json", ".profile.metadata.json", ".timing.json")


@cache
def read(name: str, suffix: str) -> Any:
    return json.loads((folder(name) / f"{name}{suffix}").read_text(encoding="utf-8"))


def layers(name: str) -> list[dict[str, Any]]:
    return read(name, ".graph.json")["Layers"]


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
def test_every_example_says_what_was_built_and_what_is_predicted(name: str) -> None:
    section = read(name, ".profile.metadata.json")["built_on_cpu"]
    assert section["expected_from_ms"] < section["compute_ms"] < section["expected_to_ms"]
    plan = load_example(name)
    assert plan.provenance is Provenance.BUILT_ON_CPU
    assert plan.build_metadata.extra["subject"]


def test_together_they_are_about_a_megabyte() -> None:
    assert sum(path.stat().st_size for name in NAMES for path in folder(name).iterdir()) < 1_100_000


@pytest.mark.slow
@NEEDS_WHEELS
def test_they_are_what_the_script_writes() -> None:
    script = REPOSITORY / "utils" / "write_examples.py"
    check = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("name", NAMES[:3])
def test_resnet18_has_the_macs_of_its_architecture(name: str) -> None:
    """1.814 GMACs per image (torchvision's table), more only where TensorRT pads the three channels of the image."""
    total = sum(work.macs or 0 for work in trex.performance(load_example(name)).works) / 32
    assert 1.813e9 < total < 1.86e9


def test_the_transformer_has_one_attention_kernel_per_layer() -> None:
    kinds = Counter(layer["LayerType"] for layer in layers("transformer-fp16"))
    assert {"kgen", "gemm"} <= set(kinds)
    assert sum("_mha_" in layer["Name"] for layer in layers("transformer-fp16")) == 12


@pytest.mark.parametrize("name", NAMES)
def test_the_profile_names_every_layer_and_adds_up(name: str) -> None:
    head, *rows = read(name, ".profile.json")
    waits = ("signal", "wait")  # between streams, without a kernel
    assert [row["name"] for row in rows] == [r["Name"] for r in layers(name) if r["LayerType"] not in waits]
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
