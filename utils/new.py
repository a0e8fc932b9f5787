"""A kind of plug and a name → the plug's one file and its test.

    python utils/new.py quirk no-bindings      trex/ingest/quirks/no_bindings.py
    python utils/new.py command histogram      trex/cli/commands/histogram.py
    python utils/new.py format mermaid         trex/export/diagrams/mermaid.py: trex draw -o x.mermaid
    python utils/new.py coloring tactic        trex/views/diagram/colorings/tactic.py: trex draw --color-by tactic
    python utils/new.py grouping stream        trex/graph/groupings/stream.py: trex draw --group-by stream
    python utils/new.py rule idle-copy-engines trex/rules/all/idle_copy_engines.py: trex lint
    python utils/new.py chart idle-time        trex/views/charts/idle_time.py: in notebook, page and workbook
    python utils/new.py part summary-of-runs   trex/views/report/parts/summary_of_runs.py: a part of the report
    python utils/new.py section energy         trex/views/performance/sections/energy.py: trex perf -s energy
    python utils/new.py report-format rst      trex/export/reports/rst.py: trex report -o x.rst
    python utils/new.py comparison-format rst  trex/export/comparisons/rst.py: trex compare … -o x.rst
    python utils/new.py comparison-chart modes trex/views/comparison/charts/modes.py: in page and workbook

What is written works, passes its test and shows the shape; replace its words. Nothing else need be touched: the
registry finds the file, and utils/write_docs.py prints its docstring. Files that exist are never overwritten.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from utils import comparison_plugs, report_plugs, rule_plugs  # noqa: E402


@dataclass(frozen=True)
class Kind:
    """folder: where plugs of this kind live, below ``trex/``; their tests live in the same folder below ``tests/``."""

    folder: str
    plug: Template
    test: Template


QUIRK = Template('''\
"""One sentence: how these files differ from others.

What it finds: layers of type ``$camel``, as the file spells it.
Why it matters: the release or tool that writes it, and what would be wrong without this quirk.
What it does: sets their type to ``Replaced``.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return "$camel" in raw.subtypes


def apply(raw: RawEngine) -> None:
    for layer in raw.of_subtype("$camel"):
        layer.type = "Replaced"


QUIRK = Quirk(Stage.MEANING, applies, apply)
''')

QUIRK_TEST = Template('''\
"""The quirk ``$name``."""

from __future__ import annotations

from tests.raw_records import chain
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    """A small engine with this quirk; tests/ingest/test_quirk.py checks that the quirk applies."""
    return RawEngine([{"Layers": chain("layer", kind="$camel"), "Bindings": ["x", "y"]}])


def test_the_example_is_corrected() -> None:
    (layer,) = engine_from_documents(example().documents).layers
    assert layer.type == "Replaced"
    assert layer.subtype == "$camel"
''')

COMMAND = Template('''\
"""One sentence: what this command tells about an engine.

examples:
  trex $name out/
  trex $name example:resnet18-int8
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan

    plan = load_plan(options.path)
    console.say(f"{plan.name}: {len(plan.layers)} layers")
    return 0


COMMAND = Command(Options, run)
''')

COMMAND_TEST = Template('''\
"""The command ``trex $name``."""

import pytest

from trex.cli.main import main


def test_an_example_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", "example:resnet18-int8"]) == 0
    assert " layers" in capsys.readouterr().out


def test_a_path_without_an_engine_is_the_users_to_mend(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
''')

FORMAT = Template('''\
"""$camel: one sentence on what this file is for."""

from __future__ import annotations

from trex.core.printable import printable
from trex.export.diagram import DiagramFormat, Drawing


def render(drawing: Drawing) -> str:
    """The file's content. Names are an engine's: whatever is in them, the file must stay a valid one."""
    return "".join(f"{printable(node.layer.name)}\\n" for node in drawing.graph.layer_nodes)


FORMAT = DiagramFormat((".$name",), render)
''')

FORMAT_TEST = Template('''\
"""The diagram format ``$name``."""

from pathlib import Path

import trex
from trex.cli.main import main


def test_the_ending_of_the_file_asks_for_it(tmp_path: Path) -> None:
    file = tmp_path / "engine.$name"
    assert main(["draw", "example:resnet18-int8", "--output", str(file)]) == 0
    assert len(file.read_text("utf-8").splitlines()) == len(trex.load_example("resnet18-int8").layers)


def test_a_part_is_written_as_a_part(tmp_path: Path) -> None:
    file = tmp_path / "part.$name"
    assert main(["draw", "example:resnet18-int8", "--hottest", "3", "-o", str(file)]) == 0
    assert len(file.read_text("utf-8").splitlines()) == 3
''')

COLORING = Template('''\
"""One sentence: what the color of a layer tells."""

from __future__ import annotations

from collections.abc import Sequence

from trex.graph.plan_graph import LayerNode
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import NVDA_GREEN, UNKNOWN_COLOR


def paint(nodes: Sequence[LayerNode], latency: Latency) -> list[Paint]:
    """A Paint for each layer, in their order: its color, and what that means in the words of the legend."""
    return [
        Paint(NVDA_GREEN, "named tactic") if node.layer.tactic else Paint(UNKNOWN_COLOR, "not reported")
        for node in nodes
    ]


COLORING = Coloring("Layers by $name", paint)
''')

COLORING_TEST = Template('''\
"""The coloring ``$name``."""

from pathlib import Path

import trex
from trex.cli.main import main
from trex.graph.build import build_graph
from trex.views.diagram.coloring import coloring
from trex.views.diagram.style import DiagramStyle


def test_the_legend_says_what_the_colors_mean(tmp_path: Path) -> None:
    file = tmp_path / "engine.svg"
    assert main(["draw", "example:resnet18-int8", "--color-by", "$name", "-o", str(file)]) == 0
    text = file.read_text("utf-8")
    assert "Layers by $name" in text
    assert "named tactic" in text


def test_every_layer_has_a_color() -> None:
    nodes = build_graph(trex.load_example("resnet18-int8")).layer_nodes
    paints = coloring("$name").paint(nodes, DiagramStyle().latency_ms)
    assert len(paints) == len(nodes)
''')

GROUPING = Template('''\
"""One sentence: what makes layers belong together."""

from __future__ import annotations

from trex.graph.grouping import Grouping
from trex.graph.plan_graph import PlanGraph


def titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    """For each layer, the titles of the groups it is in, the outermost first; () for a layer in none."""
    return [(f"$name {node.layer.type}",) if node.layer.type else () for node in graph.layer_nodes]


GROUPING = Grouping(titles)
''')

GROUPING_TEST = Template('''\
"""The grouping ``$name``."""

from pathlib import Path

import trex
from trex.cli.main import main
from trex.graph.build import build_graph
from trex.graph.groups import grouped


def test_frames_are_drawn(tmp_path: Path) -> None:
    file = tmp_path / "engine.svg"
    assert main(["draw", "example:resnet18-int8", "--group-by", "$name", "-o", str(file)]) == 0
    assert "frame: $name" in file.read_text("utf-8")


def test_a_group_has_several_layers() -> None:
    groups = grouped(build_graph(trex.load_example("resnet18-int8")), "$name").groups
    assert all(len(group.nodes) > 1 for group in groups)
''')

KINDS = {
    "quirk": Kind("ingest/quirks", QUIRK, QUIRK_TEST),
    "command": Kind("cli/commands", COMMAND, COMMAND_TEST),
    "format": Kind("export/diagrams", FORMAT, FORMAT_TEST),
    "coloring": Kind("views/diagram/colorings", COLORING, COLORING_TEST),
    "grouping": Kind("graph/groupings", GROUPING, GROUPING_TEST),
    "chart": Kind("views/charts", report_plugs.CHART, report_plugs.CHART_TEST),
    "part": Kind("views/report/parts", report_plugs.PART, report_plugs.PART_TEST),
    "section": Kind("views/performance/sections", report_plugs.SECTION, report_plugs.SECTION_TEST),
    "report-format": Kind("export/reports", report_plugs.REPORT_FORMAT, report_plugs.REPORT_FORMAT_TEST),
    "comparison-format": Kind(
        "export/comparisons", comparison_plugs.COMPARISON_FORMAT, comparison_plugs.COMPARISON_FORMAT_TEST
    ),
    "comparison-chart": Kind(
        "views/comparison/charts", comparison_plugs.COMPARISON_CHART, comparison_plugs.COMPARISON_CHART_TEST
    ),
    "rule": Kind("rules/all", rule_plugs.RULE, rule_plugs.RULE_TEST),
}


def write_plug(kind: Kind, name: str, root: Path = ROOT) -> tuple[Path, Path]:
    """Writes the plug and its test below ``root`` and returns their paths. Raises FileExistsError, ValueError."""
    stem = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", stem) or keyword.iskeyword(stem):
        raise ValueError(f"{name!r} is no name for a plug: write lower-case-words-like-these")
    words = {
        "name": stem.replace("_", "-"),
        "camel": "".join(word.capitalize() for word in stem.split("_")),
        "title": stem.replace("_", " ").capitalize(),
    }
    plug = root / "trex" / kind.folder / f"{stem}.py"
    test = root / "tests" / kind.folder / f"test_{stem}.py"
    for file in (plug, test):
        if file.exists():
            raise FileExistsError(f"{file.relative_to(root)} is there already")
    for file, template in ((plug, kind.plug), (test, kind.test)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(template.substitute(words), encoding="utf-8", newline="\n")
    return plug, test


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Writes a plug's one file and its test.")
    parser.add_argument("kind", choices=KINDS, help="what to add")
    parser.add_argument("name", help="its name: lower-case words, joined by hyphens")
    arguments = parser.parse_args(argv)
    try:
        files = write_plug(KINDS[arguments.kind], arguments.name)
    except (FileExistsError, ValueError) as error:
        parser.error(str(error))
    for file in files:
        print(file.relative_to(ROOT))
    print(f"then: python -m pytest {files[1].relative_to(ROOT)} && python utils/write_docs.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
