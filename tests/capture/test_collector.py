"""The one file: its content, its imports, and that an old Python runs it."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from trex.capture.collector import NEWEST_SYNTAX, collector_source, module_order

# In the standard library of 3.8 and of every release since.
STDLIB = {
    "array", "collections", "contextlib", "ctypes", "difflib", "errno", "glob", "hashlib", "importlib", "json", "os",
    "random", "re", "signal", "struct", "sys", "tempfile", "threading", "time", "typing",
}  # fmt: skip
OPTIONAL = {"tensorrt", "cuda", "pycuda"}
# Syntax and functions that came after 3.8.
NEWER_NAMES = {
    "removeprefix", "removesuffix", "cache", "cached_property_slots", "pairwise", "batched", "lcm", "randbytes",
    "bit_count", "unparse", "is_relative_to", "with_stem", "hardlink_to", "aclosing", "chdir", "zoneinfo", "tomllib",
    "to_thread", "ParamSpec", "TypeAlias", "Self", "Never", "override", "file_digest", "UTC", "ExceptionGroup",
}  # fmt: skip
GENERIC = {"list", "dict", "tuple", "set", "frozenset", "type", "deque"}


@pytest.fixture(scope="module")
def tree() -> ast.Module:
    """The file, as Python 3.8 would read it."""
    return ast.parse(collector_source("1.2.3"), feature_version=NEWEST_SYNTAX)


def evaluated(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node except annotations, which ``from __future__ import annotations`` does not evaluate."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if isinstance(note := getattr(node, field, None), ast.AST):
                skipped.update(map(id, ast.walk(note)))
    yield from (node for node in ast.walk(tree) if id(node) not in skipped)


def test_it_imports_the_standard_library_and_what_drives_the_gpu(tree: ast.Module) -> None:
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").partition(".")[0])
    assert modules == STDLIB | OPTIONAL | {"__future__"}
    top = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    assert not top & OPTIONAL


def test_it_uses_no_name_newer_than_python_3_8(tree: ast.Module) -> None:
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert not names & NEWER_NAMES
    keywords = {(ast.unparse(node.func), word.arg) for node in ast.walk(tree)
                if isinstance(node, ast.Call) for word in node.keywords}  # fmt: skip
    assert not keywords & {("zip", "strict"), ("open", "strict"), ("dataclass", "slots"), ("dataclass", "kw_only")}


def test_it_evaluates_no_type_that_python_3_8_cannot(tree: ast.Module) -> None:
    for node in evaluated(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            assert node.value.id not in GENERIC, ast.unparse(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            sides = {type(side) for side in (node.left, node.right)}
            assert ast.Dict not in sides and "None" not in (ast.unparse(node.left), ast.unparse(node.right))


def test_every_name_is_defined_once(tree: ast.Module) -> None:
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "-"]
    done = subprocess.run(command, input=collector_source("1.2.3"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    names = Counter(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    names.update(
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_modules_come_after_what_they_need() -> None:
    order = module_order()
    assert order[0] == "errors" and order[-1] == "collection"
    assert order.index("library") < order.index("building") < order.index("collection")


def test_no_two_modules_define_the_same_name(tree: ast.Module) -> None:
    names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    for node in tree.body:
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            names += [part.id for part in ast.walk(target) if isinstance(part, ast.Name)] if target else []
    assert len(names) > 100 and sorted(names) == sorted(set(names))


def test_the_file_is_ascii_and_names_its_version() -> None:
    source = collector_source("1.2.3")
    assert source.isascii()
    assert "tensorrt-engine-explorer 1.2.3" in source
    assert "trex.capture" not in source


@pytest.mark.slow
@pytest.mark.parametrize("name", ["python3.8", "python3.9"])
def test_an_old_python_runs_it(name: str, tmp_path: Path) -> None:
    python = old_python(name)
    if python is None:
        pytest.skip(f"there is no {name} here")
    script = tmp_path / "collect.py"
    script.write_text(collector_source("1.2.3"), encoding="ascii")
    (tmp_path / "m.onnx").write_bytes(b"\x08\x08")
    shown = subprocess.run([python, "-W", "error", script, "--help"], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0 and "usage: python collect.py MODEL.onnx FOLDER" in shown.stdout
    words = [python, "-I", "-W", "error", str(script), str(tmp_path / "m.onnx"), str(tmp_path / "out")]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2
    assert "there is no TensorRT in this Python" in ran.stderr


def old_python(name: str) -> str | None:
    """On the PATH, or where pyenv keeps its own."""
    python = sorted(Path.home().glob(f".pyenv/versions/{name.removeprefix('python')}.*/bin/python"))
    for candidate in (*map(str, python), shutil.which(name)):
        if candidate and os.access(candidate, os.X_OK):
            version = subprocess.run([candidate, "-V"], capture_output=True, text=True, timeout=60)
            if version.returncode == 0 and name.removeprefix("python") in version.stdout:
                return candidate
    return None
