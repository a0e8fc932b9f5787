"""The judge with real builds: figures, refused models, and builds that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.onnx_models import Net
from trex.capture.backend import BACKENDS
from trex.capture.options import CaptureOptions
from trex.capture.structure_judge import builder_name, judge
from trex.core.errors import TrexError
from trex.examples.building_blocks import make_block
from trex.simulator.structure import Structure, kept_structure

pytestmark = pytest.mark.skipif(
    not BACKENDS["tensorrt-rtx"].value.is_available(CaptureOptions("m", "o")),
    reason="TensorRT for RTX is not installed: pip install -e '.[rtx]' (Linux x86-64)",
)


def test_a_network_is_built_once_and_compared(tmp_path: Path) -> None:
    unknown = Net()
    unknown.output(unknown.node("NoSuchOperator", unknown.input("x", (1, 3))))
    networks = [
        ("attention-fp16", "blocks", make_block("attention-fp16").SerializeToString),
        ("unknown", "made", unknown.proto().SerializeToString),
    ]
    first = dict(judge(networks, tmp_path))
    result, refused = first["attention-fp16"], first["unknown"]
    assert isinstance(result, Structure)
    assert (result.family, result.merged_gemms.real, result.attentions.real) == ("blocks", 1, 1)
    kept = next(entry for entry in kept_structure()["networks"] if entry["network"] == "attention-fp16")
    assert (list(result.kernels), list(result.groups)) == (kept["kernels"], kept["groups"]), "stale: see trex validate"
    assert isinstance(refused, str) and "cannot be imported" in refused
    plan = next((tmp_path / "attention-fp16").glob("*.engine"))
    built = plan.stat().st_mtime_ns
    assert dict(judge(networks[:1], tmp_path)) == {"attention-fp16": result}
    assert plan.stat().st_mtime_ns == built
    (tmp_path / "unknown.onnx").write_text("mine")
    with pytest.raises(TrexError, match=r"another unknown\.onnx"):
        dict(judge(networks[1:], tmp_path))
    assert builder_name().startswith("TensorRT for RTX 1.")
