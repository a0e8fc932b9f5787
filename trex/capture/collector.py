"""The collector's modules → one stand-alone file, for machines without trex."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from trex.core.errors import TrexError

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
    """The text of collect.py: the modules in the order of their imports, with all other imports at the top.

    Raises TrexError if two modules define the same name.
    """
    imports: set[str] = set()
    bodies: list[str] = []
    owners: dict[str, str] = {}
    for name in module_order():
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8").translate(_ASCII)
        tree = ast.parse(text)
        for defined in _defined(tree):
            if defined in owners:
                raise TrexError(f"{owners[defined]} and {name} both define {defined}", "rename one of them", PACKAGE)
            owners[defined] = name
        body, module_imports = _split(text, tree)
        imports |= module_imports
        title = (ast.get_docstring(tree) or "").splitlines()[0]
        bodies.append(f"# {'-' * 20} {name}: {title}\n\n{body.strip()}\n")
    return _OPENING.format(version=version) + "\n" + _import_lines(imports) + "\n\n\n" + "\n\n".join(bodies) + _CLOSING


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
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.module or "").rpartition(".")[2]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}.")
    ]


def _split(text: str, tree: ast.Module) -> tuple[str, set[str]]:
    """(the module without docstring and imports, its imports from other packages)."""
    lines = text.splitlines()
    imports: set[str] = set()
    for index, node in enumerate(tree.body):
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        is_docstring = index == 0 and isinstance(node, ast.Expr)
        if not is_import and not is_docstring:
            continue
        if isinstance(node, ast.Import):
            imports.update(f"import {alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith((PACKAGE, "__future__")):
            imports.update(f"from {node.module} import {alias.name}" for alias in node.names)
        assert node.end_lineno is not None
        for number in range(node.lineno - 1, node.end_lineno):
            lines[number] = ""
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)), imports


def _import_lines(imports: set[str]) -> str:
    """``import`` lines first; one ``from`` line per module."""
    whole = sorted(line for line in imports if line.startswith("import "))
    parts: dict[str, list[str]] = {}
    for line in sorted(imports.difference(whole)):
        module, _, name = line.removeprefix("from ").partition(" import ")
        parts.setdefault(module, []).append(name)
    return "\n".join([*whole, *(f"from {module} import {', '.join(names)}" for module, names in parts.items())])


def _defined(tree: ast.Module) -> list[str]:
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                names += [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
    return names
