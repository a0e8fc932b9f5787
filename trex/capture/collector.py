"""The collector's modules → one stand-alone file, for machines without trex."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = "trex.capture.tensorrt_api"
FOLDER = Path(__file__).parent / "tensorrt_api"
NEWEST_SYNTAX = (3, 8)

# The file is ASCII, which any terminal or editor copies unharmed.
_ASCII = str.maketrans({"→": "->", "↔": "<->", "…": "..."})
_FIRST, _LAST = "errors", "collection"
_OPENING = '''#!/usr/bin/env python3
"""collect.py: builds, inspects and measures an engine with TensorRT's Python API, for the TensorRT Engine Explorer.

    python collect.py model.onnx outdir --shapes x:1x3x224x224 --fp16
    python collect.py model.engine outdir
    python collect.py --help

Needs Python 3.8 or later and TensorRT 8.5 to 11; measuring also needs cuda-python or pycuda. Copy this file to the
machine with the GPU, and the files that it writes to the machine with trex. Written by ``trex collector`` of
tensorrt-engine-explorer {version}; the license is Apache-2.0.
"""

from __future__ import annotations
'''
_CLOSING = """

if __name__ == "__main__":
    sys.exit(main())
"""


def collector_source(version: str) -> str:
    """The text of collect.py: the modules in the order of their imports, without the imports of one another."""
    bodies = []
    for name in module_order():
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8").translate(_ASCII)
        title = (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
        bodies.append(f"# {'-' * 20} {name}: {title}\n\n{_body(text)}\n")
    return _OPENING.format(version=version) + "\n\n" + "\n\n".join(bodies) + _CLOSING


def module_order() -> list[str]:
    """Module names, each after those that it imports."""
    needs = {path.stem: _imported(path) for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("__")}
    ordered: list[str] = []

    def add(name: str) -> None:
        if name not in ordered:
            for needed in needs[name]:
                add(needed)
            ordered.append(name)

    add(_FIRST)
    add(_LAST)
    return ordered


def _imported(path: Path) -> list[str]:
    return [
        (node.module or "").rpartition(".")[2]
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}.")
    ]


def _body(text: str) -> str:
    """A module without its docstring, ``__future__`` and imports from the package."""
    lines = text.splitlines()
    for index, node in enumerate(ast.parse(text).body):
        is_own = isinstance(node, ast.ImportFrom) and (node.module or "").startswith((PACKAGE, "__future__"))
        if is_own or (index == 0 and isinstance(node, ast.Expr)):
            assert node.end_lineno is not None
            for number in range(node.lineno - 1, node.end_lineno):
                lines[number] = ""
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip()
