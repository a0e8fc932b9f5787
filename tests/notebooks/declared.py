"""The modules that `pip install .[notebook]` brings, and a cell that hides all others from a notebook."""

from __future__ import annotations

import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]

CELL = """
import sys

class _Hiding:
    \"\"\"A finder that does not find what is installed here and would not be with the notebook extra alone.\"\"\"
    hidden = frozenset({hidden!r})

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        is_hidden = name.partition(".")[0] in self.hidden
        return None if is_hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [_Hiding(finder) for finder in sys.meta_path]
"""


def hiding_cell() -> str:
    """Code that hides undeclared modules: none is found, as where only the extra is installed."""
    return CELL.format(hidden=sorted(undeclared()))


@cache
def undeclared() -> frozenset[str]:
    """Top-level modules that are installed here by distributions which the notebook extra does not bring."""
    brought = brought_by(requirements())
    return frozenset(
        module
        for module, owners in metadata.packages_distributions().items()
        if module != "trex" and not {canonicalize_name(owner) for owner in owners} & brought
    )


def requirements() -> list[str]:
    """What pyproject.toml asks for with the notebook extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["notebook"]]


def brought_by(lines: list[str]) -> set[str]:
    """Names of the distributions that these requirements bring, with all that those need in turn."""
    found: set[tuple[str, str]] = set()
    left = [Requirement(line) for line in lines]
    while left:
        wanted = left.pop()
        for extra in ("", *wanted.extras):
            key = (canonicalize_name(wanted.name), extra)
            if key in found:
                continue
            found.add(key)
            try:
                needed = metadata.requires(wanted.name) or []
            except metadata.PackageNotFoundError:
                continue
            for line in needed:
                each = Requirement(line)
                if each.marker is None or each.marker.evaluate({"extra": extra}):
                    left.append(each)
    return {name for name, _ in found}
