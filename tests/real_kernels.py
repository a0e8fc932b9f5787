"""Names of the kernels in the real engines and logs beside the repository."""

from __future__ import annotations

import re
from pathlib import Path

from trex.engine_plan import load_all

_TOLD = re.compile(r"(?:Tactic Name|TacticName): ([^ ,\n]+)|\(foreignNode\) +\d+, [^\n]*?([a-z]\w+_\w+)")


def kernels_in_engines(folder: Path) -> set[str]:
    return {layer.tactic for plan in load_all(folder) for layer in plan.all_layers if layer.tactic}


def kernels_in_logs(folder: Path) -> set[str]:
    """Kernels that builders timed, told or listed, the rows of Myelin's tuning among them."""
    found = set()
    for path in folder.glob("*.log"):
        for told, tuned in _TOLD.findall(path.read_text(errors="replace")):
            found.add(told or tuned)
    return found
