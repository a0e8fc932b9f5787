"""Example engines that anyone can load without a GPU: ``trex.load_example("resnet18-int8")``.

They are simulated: ``utils/write_examples.py`` has the simulated builder predict them from the networks in
``networks/``; nothing was built or measured, and each says so in its own files. One folder per engine, with the five
files process_engine.py leaves beside a real one.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from trex.core.errors import TrexError

_HERE = Path(__file__).resolve().parent


def names() -> tuple[str, ...]:
    """Names of the bundled engines, sorted."""
    return tuple(sorted(path.parent.name for path in _HERE.glob("*/*.graph.json")))


def folder(name: str) -> Path:
    """The folder with one example's files. Raises TrexError, listing the names, when there is none of that name."""
    known = names()
    if name in known:
        return _HERE / name
    close = get_close_matches(name, known, n=1)
    meant = f"did you mean {close[0]!r}? " if close else ""
    raise TrexError(f"there is no example engine called {name!r}", f"{meant}the examples are: {', '.join(known)}")
