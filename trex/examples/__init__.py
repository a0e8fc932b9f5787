"""Example engines that load without a GPU: ``trex.load_example("resnet18-int8")``.

They are real builds by TensorRT for RTX on a CPU: ``utils/write_examples.py`` makes them from the networks in
``networks/``. Their times are predicted, and the files say so. Each engine is a folder with the five files that
process_engine.py writes.
"""

from __future__ import annotations

from pathlib import Path

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean

_HERE = Path(__file__).resolve().parent


def names() -> tuple[str, ...]:
    """Names of the bundled engines, sorted."""
    return tuple(sorted(path.parent.name for path in _HERE.glob("*/*.graph.json")))


def folder(name: str) -> Path:
    """The folder of an example's files. Raises TrexError for an unknown name, with the known ones."""
    known = names()
    if name in known:
        return _HERE / name
    hint = f"{did_you_mean(name, known, count=1)} the examples are: {', '.join(known)}".strip()
    raise TrexError(f"no example engine is called {name!r}", hint)
