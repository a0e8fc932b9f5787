"""Scaffold: the first text of a plug and of its test; one kind of plugs is one file of ``utils/scaffolds``."""

from __future__ import annotations

import importlib
import keyword
import pkgutil
import re
from dataclasses import dataclass
from pathlib import Path
from string import Template


@dataclass(frozen=True)
class Scaffold:
    """Where plugs of one kind live, and what a new one says. It works, passes its test and shows the shape.

    folder: of the plugs below ``trex/``; their tests are in the same folder below ``tests/``. plug, test: texts with
    $name (``brand-new``), $camel (``BrandNew``), $flat (``brandnew``) and $title (``Brand new``). related: other tests
    that run every plug of the kind. ending: of the plug's file; a file that is no module keeps its hyphens.
    """

    folder: str
    plug: str
    test: str
    related: tuple[str, ...] = ()
    ending: str = ".py"

    def write(self, name: str, root: Path) -> tuple[Path, Path]:
        """Writes the plug and its test below ``root`` and returns their paths.

        Raises ValueError for a name that no module may have, FileExistsError rather than replace a file.
        """
        stem = name.replace("-", "_")
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", stem) or keyword.iskeyword(stem):
            raise ValueError(f"{name!r} can't be a plug's name: write lower-case words joined by hyphens")
        words = {
            "name": stem.replace("_", "-"),
            "camel": "".join(word.capitalize() for word in stem.split("_")),
            "flat": stem.replace("_", ""),
            "title": stem.replace("_", " ").capitalize(),
        }
        file = f"{stem if self.ending == '.py' else words['name']}{self.ending}"
        plug, test = root / "trex" / self.folder / file, root / "tests" / self.folder / f"test_{stem}.py"
        for path in (plug, test):
            if path.exists():
                raise FileExistsError(f"{path.relative_to(root).as_posix()} already exists")
        for path, text in ((plug, self.plug), (test, self.test)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(Template(text).substitute(words), encoding="utf-8", newline="\n")
        return plug, test


def scaffolds() -> dict[str, tuple[str, Scaffold]]:
    """Kind → (what it is, its scaffold), by name."""
    package = importlib.import_module("utils.scaffolds")
    kinds = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        kinds[info.name.replace("_", "-")] = ((module.__doc__ or "").strip(), module.SCAFFOLD)
    return dict(sorted(kinds.items()))
