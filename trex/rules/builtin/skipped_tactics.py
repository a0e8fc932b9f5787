"""Kernels that the builder skipped for lack of memory.

What it finds: builder messages that tactics were skipped because workspace, or GPU memory, was too small; a workspace
in the wrong unit.
Why it matters: a skipped tactic may have been the fastest. Mostly it is not, so only a build that tries it shows what
it costs.
What to try: a larger workspace (``--memPoolSize=workspace:4096``, in MiB and without a unit), a GPU without other
processes during the build, and a comparison of both engines.
Does not apply: builds without a log; simulated engines and TensorRT for RTX, which choose no tactics in a build.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule
from trex.rules.wording import LOG_HINT

CODES = {
    "tiny-workspace": 0.9,
    "tactics-skipped-for-workspace": 0.4,
    "tactics-skipped-for-memory": 0.5,
}
"""Codes of the Notes of a build log, and how sure it is that the engine is slower for it."""
_FIXES = {
    "tiny-workspace": "write workspaces in MiB and without a unit: --memPoolSize=workspace:1024",
    "tactics-skipped-for-workspace": "build with the largest workspace possible and compare: without --memPoolSize",
    "tactics-skipped-for-memory": "check which processes use GPU memory during the build: nvidia-smi",
}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    notes = [note for note in engine.plan.notes if note.code in CODES]
    for note in notes:
        yield Finding(
            note.message,
            evidence=(
                Evidence("memory pools", engine.plan.build_metadata.build_options.get("Memory Pools")),
                Evidence("where", note.where or None),
            ),
            fix=tuple(dict.fromkeys(fix for fix in (note.hint, _FIXES[note.code]) if fix)),
            documentation=(
                "TensorRT Developer Guide: Troubleshooting, tactics and workspace",
                "NVIDIA/TensorRT issues 1661, 4136",
            ),
            how_to_check="an engine built with more memory is faster, by more than two runs differ",
            confidence=CODES[note.code],
            severity=Severity.WARNING if note.code == "tiny-workspace" else Severity.NOTE,
        )
    if not notes and not engine.has_build_log and not engine.plan.provenance.has_predicted_times:
        reason = "there is no build log, so whether tactics were skipped for lack of memory is unknown"
        yield Unchecked(reason, LOG_HINT)


RULE = Rule("BUILD002", "tactics skipped for lack of memory", Severity.NOTE, check)
