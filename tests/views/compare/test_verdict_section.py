"""What a comparison says first."""

from __future__ import annotations

from pathlib import Path

from trex.compare.plan_diff import PlanDiff
from trex.engine_plan import load
from trex.views.compare.document import comparison_document

LOG = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v101600] # trtexec --onnx=m.onnx --saveEngine=m.plan
[01/01/2026-00:00:00] [I] Created engine with size: {mib} MiB
[01/01/2026-00:00:00] [I] Engine built in 30 sec.
[01/01/2026-00:00:00] [I] === Performance summary ===
[01/01/2026-00:00:00] [I] Throughput: 1000 qps
[01/01/2026-00:00:00] [I] GPU Compute Time: min = 1 ms, max = 1 ms, mean = 1 ms, median = 1 ms, percentile(99%) = 1 ms
&&&& PASSED TensorRT.trtexec [TensorRT v101600] # trtexec --onnx=m.onnx --saveEngine=m.plan
"""
OTHER = LOG.replace("m.plan", "other.plan")


def test_what_the_files_of_engines_without_layers_leave_uncertain_is_said(tmp_path: Path) -> None:
    (tmp_path / "one.log").write_text(LOG.format(mib=12), encoding="utf-8")
    (tmp_path / "two.log").write_text(OTHER.format(mib=20) + LOG.format(mib=12), encoding="utf-8")
    diff = PlanDiff(load(tmp_path / "one.log"), load(tmp_path / "two.log"))
    notes = [note for part in comparison_document(diff).sections for note in part.notes]
    assert [note.code for note in notes] == ["other-runs-in-log"]
    assert notes[0].message.startswith("new: ")
