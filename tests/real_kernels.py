"""Names of the kernels in the real engines and logs outside the repository."""

from __future__ import annotations

import re
from pathlib import Path

from trex.engine_plan import load_all

_NAME = re.compile(r"(?:Tactic Name|TacticName): ([^ ,\n]+)|\(foreignNode\) +\d+, [^\n]*?([a-z]\w+_\w+)")


def kernels_in_engines(folder: Path) -> set[str]:
    return {layer.tactic for plan in load_all(folder) for layer in plan.all_layers if layer.tactic}


def kernels_in_logs(folder: Path) -> set[str]:
    """Kernels in builders' logs and engine files, with those that Myelin tuned."""
    names = set()
    for path in folder.glob("*.log"):
        for listed, tuned in _NAME.findall(path.read_text(errors="replace")):
            names.add(listed or tuned)
    return names
