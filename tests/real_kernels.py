"""Names of the kernels in the real engines and logs outside the repository."""

from __future__ import annotations

import re
from pathlib import Path

from trex.engine_plan import load_all

_KERNEL = re.compile(r"(?:Tactic Name|TacticName): ([^ ,\n]+)|\(foreignNode\) +\d+, [^\n]*?([a-z]\w+_\w+)")


def kernels_in_engines(folder: Path) -> set[str]:
    return {layer.tactic for plan in load_all(folder) for layer in plan.engine.layers if layer.tactic}


def kernels_in_logs(folder: Path) -> set[str]:
    """Kernels in the builders' timings and layer lists, and in Myelin's tuning tables."""
    return {
        listed or tuned
        for path in folder.glob("*.log")
        for listed, tuned in _KERNEL.findall(path.read_text(errors="replace"))
    }
