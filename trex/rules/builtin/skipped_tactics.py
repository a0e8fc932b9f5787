"""Kernels that the builder did not try for want of memory.

What it finds: the builder's messages that tactics were skipped because workspace, or the GPU's memory, was too small;
a workspace that was given in the wrong unit.
Why it matters: a skipped tactic may have been the fastest one. Mostly it was not: tactics with large workspaces are one
of many, so whether it costs anything shows only in a build that tries them.
What to try: a larger workspace (``--memPoolSize=workspace:4096``, in MiB and without a unit), memory that no other
process holds during the build, and a comparison of both engines.
Does not apply: builds of which no log is at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.build_log import has_build_log
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule

CODES = {
    "tiny-workspace": 0.9,
    "tactics-skipped-for-workspace": 0.4,
    "tactics-skipped-for-memory": 0.5,
}
"""Codes of the Notes of a build log, and how sure it is that the engine is slower for it."""


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    notes = [note for note in seen.plan.notes if note.code in CODES]
    for note in notes:
        yield Finding(
            note.message,
            evidence=(
                Evidence("memory pools", seen.plan.build_metadata.build_options.get("Memory Pools")),
                Evidence("where", note.where or None),
            ),
            advice=tuple(dict.fromkeys(each for each in (note.hint, _ADVICE[note.code]) if each)),
            documentation=(
                "TensorRT Developer Guide: Troubleshooting, tactics and workspace",
                "TensorRT issues #4136, #1661",
            ),
            proof="an engine built with more memory takes less time, beyond what two runs differ by",
            confidence=CODES[note.code],
            severity=Severity.WARNING if note.code == "tiny-workspace" else Severity.NOTE,
        )
    if not notes and not has_build_log(seen.plan):
        yield CannotTell(
            "whether the builder skipped tactics for want of memory: there is no log of the build",
            "trtexec --verbose … 2>&1 | tee build.log, beside the graph",
        )


_ADVICE = {
    "tiny-workspace": "workspaces are written in MiB and without a unit: --memPoolSize=workspace:1024",
    "tactics-skipped-for-workspace": "build with the largest workspace there is and compare: without --memPoolSize",
    "tactics-skipped-for-memory": "see who holds memory while it builds: nvidia-smi",
}

RULE = Rule("BUILD002", "tactics skipped for want of memory", Severity.NOTE, check)
