"""Which floor may import which: the table of floors, checked with ``ast``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import trex
from tests.syntax import parsed

PACKAGE = Path(__file__).resolve().parent.parent / "trex"
ANY = "*"


@dataclass(frozen=True)
class Floor:
    """What a folder may import: floors of ours, libraries at the top of a module, libraries inside functions."""

    floors: tuple[str, ...] = ()
    at_top: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


READINGS = ("core", "plan", "perf", "graph")
BELOW_VIEWS = ("core", "ingest", "plan", "builder", "perf", "graph", "rules", "compare")
FRAMES = ("numpy", "pandas")

FLOORS = {
    "core": Floor(),
    # google: the protobuf that onnx brings; tomli: tomllib before Python 3.11
    "ingest": Floor(("core",), ("orjson",), ("zstandard", "onnx", "google", "tomllib", "tomli")),
    "examples": Floor(("core",), (), ("numpy", "onnx")),  # bundled engines, found by name; networks it writes
    "plan": Floor(("core", "ingest", "examples"), FRAMES),
    "builder": Floor(("core", "ingest", "plan"), FRAMES),
    "perf": Floor(("core", "plan"), ("numpy",)),
    "graph": Floor(("core", "plan"), ("numpy",)),
    "rules": Floor((*READINGS, "builder"), ("numpy",)),
    "compare": Floor((*READINGS, "builder"), FRAMES),
    # runs on disk; duckdb, pyarrow and fsspec inside functions
    "store": Floor(("core", "ingest", "plan", "perf", "rules", "compare"), FRAMES, (ANY,)),
    "views": Floor((*BELOW_VIEWS, "store"), FRAMES),
    "export": Floor((*BELOW_VIEWS, "store", "views"), FRAMES, (ANY,)),
    "simulator": Floor(("core", "ingest", "plan", "perf", "examples"), ("numpy",), ("onnx",)),
    "capture": Floor(("core", "ingest", "perf", "simulator"), (), (ANY,)),
    "sweep": Floor((*BELOW_VIEWS, "examples", "simulator", "capture", "store", "views"), FRAMES, (ANY,)),
    "jupyter": Floor(
        (*BELOW_VIEWS, "views", "export", "capture", "simulator", "store", "sweep"),
        (*FRAMES, "IPython", "ipywidgets"),
        (ANY,),
    ),
    "agents": Floor((*BELOW_VIEWS, "views", "export", "capture", "simulator", "examples"), (), (ANY,)),
    "server": Floor((*BELOW_VIEWS, "views", "export", "store"), (), (ANY,)),
    "model_explorer": Floor((*BELOW_VIEWS, "views", "export"), (), (ANY,)),
    # what only users of TREx need: public files re-export it, no floor may import it
    "classic": Floor((*BELOW_VIEWS, "views", "export", "capture", "simulator", "jupyter", "cli"), FRAMES, (ANY,)),
    "cli": Floor(
        (*BELOW_VIEWS, "views", "export", "capture", "simulator", "examples", "agents", "server", "store", "sweep"),
        ("rich",),
        (ANY,),
    ),
}

# The shells; everything below them is quiet.
SHELLS = ("jupyter", "cli", "capture", "classic", "model_explorer")


@dataclass(frozen=True)
class Import:
    """One import: a dotted name, whether it runs when the module is imported, and the names taken from it."""

    target: str
    line: int
    at_top: bool
    names: tuple[str, ...] = ()


def floor_of(file: Path, package: Path) -> str:
    """The floor a file stands on: its folder, ``""`` for a public file."""
    folders = file.relative_to(package).parts[:-1]
    inner = "/".join(folders[:2])
    return inner if inner in FLOORS else (folders[0] if folders else "")


def imports_of(tree: ast.Module, *, with_types: bool = True) -> Iterator[Import]:
    """Every import of a module, lazy ones included, with_types also those for type checkers."""
    pending: list[tuple[ast.AST, bool]] = [(tree, True)]
    while pending:
        node, at_top = pending.pop()
        if not with_types and _for_type_checkers(node):
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, at_top)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield Import("." * node.level + (node.module or ""), node.lineno, at_top)
            elif node.module == "trex":
                for alias in node.names:
                    yield Import(f"trex.{alias.name}", node.lineno, at_top)
            else:
                yield Import(node.module or "", node.lineno, at_top, tuple(alias.name for alias in node.names))
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0] if node.args else None
            if called in ("import_module", "__import__") and isinstance(first, ast.Constant):
                yield Import(str(first.value), node.lineno, False)
        lazy = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _for_type_checkers(node)
        pending.extend((child, at_top and not lazy) for child in ast.iter_child_nodes(node))


def _for_type_checkers(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def problem_with(imported: Import, floor: str, package: Path) -> str | None:
    """What is wrong with an import seen from ``floor``, None when nothing is."""
    if imported.target.startswith("."):
        return f"{floor} imports {imported.target} relatively: write the whole name"
    first, _, rest = imported.target.partition(".")
    rules = FLOORS[floor]
    if first == "trex":
        other = rest.partition(".")[0]
        inner = "/".join(rest.split(".")[:2])
        other = inner if inner in FLOORS else other
        if imported.target == "trex.__version__":
            return None
        if not other or not (package / other).is_dir():
            return f"{floor} may not import the public {'file ' + imported.target if rest else 'lobby'}"
        if other == floor or other in rules.floors or floor.startswith(f"{other}/"):
            return None
        return f"{floor} may not import {other}"
    if first in sys.stdlib_module_names or first in rules.at_top or first in rules.inside:
        if imported.at_top and first in rules.inside:
            return f"{floor} may import {first} inside a function only"
        return None
    if ANY in rules.inside:
        return f"{floor} may import {first} inside a function only" if imported.at_top else None
    return f"{floor} may not import {first}"


def problems_of(package: Path) -> list[str]:
    """``file:line: what is wrong`` for every import that breaks the table."""
    problems = []
    for file in sorted(package.rglob("*.py")):
        floor = floor_of(file, package)
        if not floor:
            continue
        address = file.relative_to(package.parent).as_posix()
        if floor not in FLOORS:
            problems.append(f"{address}:1: the folder {floor} is not in the table of floors")
            continue
        tree = parsed(file)
        for imported in sorted(imports_of(tree), key=lambda i: i.line):
            problem = problem_with(imported, floor, package)
            if problem:
                problems.append(f"{address}:{imported.line}: {problem}")
    return problems


def noises_of(package: Path) -> list[str]:
    """``file:line: what is heard`` for every print, warning, log and show below the shells."""
    noises = []
    for file in sorted(package.rglob("*.py")):
        floor = floor_of(file, package)
        if not floor or floor in SHELLS:
            continue
        address = file.relative_to(package.parent).as_posix()
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name in ("print", "warnings.warn", "warn") or name.startswith("logging.") or name.endswith(".show"):
                    noises.append(f"{address}:{node.lineno}: {floor} may not call {name}")
    return noises


def cycles_of(package: Path) -> list[str]:
    """``a -> b -> a`` for cycles among the imports that run, lazy ones included: one per module where a search ends."""
    names = {".".join(file.relative_to(package.parent).with_suffix("").parts): file for file in package.rglob("*.py")}
    files = {name.removesuffix(".__init__"): file for name, file in names.items()}
    imports = {name: list(imports_of(parsed(file), with_types=False)) for name, file in files.items()}
    cycles, done = [], set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            cycles.append(" -> ".join((*path[path.index(name) :], name)))
        elif name in imports and name not in done:
            for imported in imports[name]:
                for target in (imported.target, *(f"{imported.target}.{member}" for member in imported.names)):
                    visit(target, (*path, name))
            done.add(name)

    for name in imports:
        visit(name, ())
    return cycles


def test_modules_have_no_import_cycles() -> None:
    cycles = cycles_of(PACKAGE)
    assert not cycles, "\n" + "\n".join(cycles)


def test_every_module_is_importable() -> None:
    """A plug that can't be imported is left out of its registry without an error."""
    for info in walk_packages(trex.__path__, "trex."):
        if not info.name.endswith("__main__"):
            import_module(info.name)


def test_floors_look_downstairs_only() -> None:
    problems = problems_of(PACKAGE)
    assert not problems, "\n" + "\n".join(problems)


def test_floors_below_the_shells_are_quiet() -> None:
    noises = noises_of(PACKAGE)
    assert not noises, "\n" + "\n".join(noises)


def test_the_table_has_no_cycle() -> None:
    def below(floor: str, path: tuple[str, ...] = ()) -> None:
        assert floor not in path, " -> ".join((*path, floor))
        for other in FLOORS[floor].floors:
            below(other, (*path, floor))

    for floor in FLOORS:
        below(floor)


def test_public_files_alone_import_what_is_classic() -> None:
    assert not [floor for floor, row in FLOORS.items() if "classic" in row.floors]


def test_neighbors_do_not_see_one_another() -> None:
    for group in (("perf", "graph"), ("rules", "compare"), ("jupyter", "cli")):
        for floor in group:
            assert not set(group) & set(FLOORS[floor].floors), floor


# ---- The test of the test: bad trees are caught.


def tree(folder: Path, **files: str) -> Path:
    """A package called trex whose files are given as ``floor__name="text"``; every floor exists."""
    package = folder / "trex"
    for floor in FLOORS:
        (package / floor).mkdir(parents=True)
    for name, text in files.items():
        package.joinpath(*name.split("__")).with_suffix(".py").write_text(text, encoding="utf-8")
    return package


@pytest.mark.parametrize(
    ("floor", "text", "problem"),
    [
        ("ingest", "x = 1\nfrom trex.plan.columns import page\n", "ingest__m.py:2: ingest may not import plan"),
        ("ingest", "import trex.plan\n", "ingest__m.py:1: ingest may not import plan"),
        ("ingest", "from trex import plan\n", "ingest__m.py:1: ingest may not import plan"),
        ("ingest", "def f():\n    from trex.plan import x\n", "ingest__m.py:2: ingest may not import plan"),
        ("ingest", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import trex.views.x\n",
         "ingest__m.py:3: ingest may not import views"),
        ("ingest", "import importlib\nimportlib.import_module('trex.plan.x')\n",
         "ingest__m.py:2: ingest may not import plan"),
        ("ingest", "import pandas as pd\n", "ingest__m.py:1: ingest may not import pandas"),
        ("ingest", "import zstandard\n", "ingest__m.py:1: ingest may import zstandard inside a function only"),
        ("core", "import orjson\n", "core__m.py:1: core may not import orjson"),
        ("core", "def f():\n    import numpy\n", "core__m.py:2: core may not import numpy"),
        ("core", "from .layer import Layer\n", "core__m.py:1: core imports .layer relatively: write the whole name"),
        ("plan", "import orjson\n", "plan__m.py:1: plan may not import orjson"),
        ("plan", "from trex.engine_plan import load\n",
         "plan__m.py:1: plan may not import the public file trex.engine_plan"),
        ("cli", "def f():\n    from trex import load\n", "cli__m.py:2: cli may not import the public file trex.load"),
        ("cli", "import trex\n", "cli__m.py:1: cli may not import the public lobby"),
        ("perf", "from trex.graph.build import x\n", "perf__m.py:1: perf may not import graph"),
        ("views", "import plotly\n", "views__m.py:1: views may not import plotly"),
        ("export", "import xlsxwriter\n", "export__m.py:1: export may import xlsxwriter inside a function only"),
        ("rules", "from trex.compare.align import x\n", "rules__m.py:1: rules may not import compare"),
    ],
)  # fmt: skip
def test_an_import_upstairs_is_caught(tmp_path: Path, floor: str, text: str, problem: str) -> None:
    assert problems_of(tree(tmp_path, **{f"{floor}__m": text})) == [f"trex/{problem.replace('__', '/')}"]


@pytest.mark.parametrize(
    ("floor", "text"),
    [
        ("core", "import json\nfrom trex.core.note import Note\nfrom collections.abc import Mapping\n"),
        ("ingest", "import orjson\nfrom trex.core import note\ndef f():\n    import zstandard\n"),
        ("plan", "import numpy as np\nimport pandas as pd\nfrom trex.ingest.graph_json import x\n"),
        ("export", "from trex.views.summary import x\ndef f():\n    import xlsxwriter\n"),
        ("cli", "from rich.table import Table\nfrom trex.export.svg import x\nfrom trex import __version__\n"),
    ],
)
def test_an_import_downstairs_is_fine(tmp_path: Path, floor: str, text: str) -> None:
    assert problems_of(tree(tmp_path, **{f"{floor.replace('/', '__')}__m": text})) == []


def test_a_cycle_is_caught_also_if_it_is_lazy(tmp_path: Path) -> None:
    there = "from trex.plan import b\n"
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from trex.plan.a import A\n"
    assert cycles_of(tree(tmp_path / "types", plan__a=there, plan__b=types)) == []
    lazy = "def f():\n    from trex.plan.a import A\n"
    assert cycles_of(tree(tmp_path / "lazy", plan__a=there, plan__b=lazy)) == [
        "trex.plan.a -> trex.plan.b -> trex.plan.a"
    ]


def test_public_files_may_import_everything(tmp_path: Path) -> None:
    assert problems_of(tree(tmp_path, engine_plan="import pandas\nfrom trex.cli.main import main\n")) == []


def test_a_folder_without_a_row_is_caught(tmp_path: Path) -> None:
    package = tree(tmp_path)
    (package / "misc").mkdir()
    (package / "misc" / "things.py").write_text("x = 1\n", encoding="utf-8")
    assert problems_of(package) == ["trex/misc/things.py:1: the folder misc is not in the table of floors"]


@pytest.mark.parametrize(
    "text", ["print(1)\n", "import warnings\nwarnings.warn('x')\n", "import logging\nlogging.info('x')\n", "f.show()\n"]
)
def test_noise_is_caught(tmp_path: Path, text: str) -> None:
    (noise,) = noises_of(tree(tmp_path, plan__m=text, cli__m=text, engine_plan=text))
    assert noise.startswith("trex/plan/m.py:")
