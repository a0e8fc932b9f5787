"""Docstrings → docs/*.md; what commands print → the README and guides that show it.

python utils/write_docs.py            writes the pages
python utils/write_docs.py --check    writes nothing; exit code 1 when a page is stale
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from inspect import getdoc
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from trex.capture import ceilings  # noqa: E402
from trex.cli.command import COMMANDS  # noqa: E402
from trex.core.options import OptionField, option_fields  # noqa: E402
from trex.core.registry import Plug, Registry  # noqa: E402
from trex.examples.network import network_names, write_network  # noqa: E402
from trex.export.diagram import FORMATS as DIAGRAMS  # noqa: E402
from trex.export.graph_document import graph_json  # noqa: E402
from trex.export.graph_facts import EDGE_FACTS, GRAPH_FACTS, NODE_FACTS, GraphFact  # noqa: E402
from trex.export.graphml import graphml_text  # noqa: E402
from trex.graph.grouping import GROUPINGS  # noqa: E402
from trex.ingest import config_toml  # noqa: E402
from trex.ingest.quirk import QUIRKS, QuirkStage, in_order  # noqa: E402
from trex.perf import columns as performance_columns  # noqa: E402
from trex.perf import device_file, peaks, recognize  # noqa: E402
from trex.perf.arithmetic import CERTAINTIES  # noqa: E402
from trex.perf.known_devices import known_devices  # noqa: E402
from trex.plan import columns  # noqa: E402
from trex.rules.documentation import rule_sections  # noqa: E402
from trex.rules.rule import RULES  # noqa: E402
from trex.views.devices import PEAKS, devices_table  # noqa: E402
from trex.views.diagram.coloring import COLORINGS  # noqa: E402
from utils.agents_page import agents_page, llms_text  # noqa: E402
from utils.json_page import json_page  # noqa: E402
from utils.layer_work_page import layer_work_page  # noqa: E402
from utils.report_pages import charts_page, report_page  # noqa: E402
from utils.simulated_page import simulated_page  # noqa: E402
from utils.store_page import store_page  # noqa: E402

MARK = "<!-- Printed from docstrings by utils/write_docs.py: change those, not this page. -->\n\n"
BATCH = 32
_RUN = re.compile(r"(<!-- run: trex (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
_HEADING = re.compile(r"(?<=\n)([A-Z][a-z ]+):\s")  # not the first line: that one says what the thing is


def columns_page() -> str:
    return f"{columns.page()}\n{performance_columns.page()}"


def quirks_page() -> str:
    parts = [
        "# Quirks of engine files\n",
        "TensorRT releases and tools spell the same facts in different ways. Each way is one file in",
        "`trex/ingest/quirks/`; its docstring is its entry here. Quirks run in stages, in this order; within a stage",
        "the order does not matter. `plan.notes` lists what a quirk repaired or could not determine.\n",
    ]
    plugs = in_order(plugs_of(QUIRKS))
    for stage in QuirkStage:
        here = [plug for plug in plugs if plug.value.stage is stage]
        if here:
            parts.append(f"## {stage.name.capitalize()}\n")
            parts.extend(f"### {plug.name}\n\n{paragraphs(plug.doc)}\n" for plug in here)
    return "\n".join(parts)


def commands_page() -> str:
    from trex.cli.main import EPILOG

    parts = [
        "# The command line\n",
        f"```text\n{EPILOG.strip()}\n```\n",
        "`python -m trex` is the same program. Each command is one file in `trex/cli/commands/`.\n",
    ]
    plugs = plugs_of(COMMANDS)
    shared: dict[str, dict[str, OptionField]] = {}
    for plug in plugs:
        for field in option_fields(plug.value.options):
            if field.group:
                shared.setdefault(field.group, {})[field.flag] = field
    for plug in plugs:
        fields = [field for field in option_fields(plug.value.options) if not field.group]
        fields.sort(key=lambda field: not field.is_positional)
        arguments = " ".join(f"{f.name.upper()}{' …' if f.many else ''}" for f in fields if f.is_positional)
        parts.append(
            f"## trex {plug.name}\n\n`{f'trex {plug.name} {arguments}'.strip()}`\n\n{with_examples(plug.doc)}\n"
        )
        if fields:
            parts += [*options_table(fields), ""]
        declared = {(field.group, field.flag) for field in option_fields(plug.value.options)}
        for group, members in shared.items():
            if own := [f"`{flag}`" for flag in members if (group, flag) in declared]:
                parts.append(f"[{group.capitalize()}](#{group.replace(' ', '-')}): {', '.join(own)}\n")
    for group, members in shared.items():
        parts += [f"## {group.capitalize()}\n", *options_table(members.values()), ""]
    return "\n".join(parts)


def options_table(fields: Iterable[OptionField]) -> list[str]:
    return ["| argument | meaning | default |\n| --- | --- | --- |", *map(option_row, fields)]


def graph_files_page() -> str:
    parts = [
        "# Files of the graph\n",
        "`trex draw PATH -o FILE` writes the graph, or the selected part of it, in the format of the file's ending.",
        "Each format is one file in `trex/export/diagrams/`, each coloring one in `trex/views/diagram/colorings/`,",
        "each grouping one in `trex/graph/groupings/`. Other packages add theirs by the entry points `trex.diagrams`",
        "(a module with a `FORMAT`), `trex.colorings` (`COLORING`) and `trex.groupings` (`GROUPING`).\n",
        "Pictures of engines with 50 000 layers or more show repeated blocks folded and groups closed. Data files",
        "(GraphML, JSON, Model Explorer) contain every layer unless `--fold` or `--close-groups` asks for less.\n",
        "SVG, PNG and PDF of long engines are folded into columns, read from left to right. A PNG of more pixels than",
        "viewers show draws repeated blocks once, and a note says so. A box names two of a kernel's ONNX nodes and",
        "says how many more there are. Where nothing can be hovered over, a tap in the page shows all of them, and",
        "`trex layers out/ --columns Name,layer.origins` prints them.\n",
        "The page opens at a size to be read. Where the whole engine does not fit, groups are closed: stages, blocks",
        "and repetitions, such as `encoder/layer ×12` (`--group-by` chooses others). A click on a closed group opens",
        "it in place, a click on its title closes it. The address keeps what is open (`#closed=…`). An orange line",
        "marks the hottest path: the way from input to output on which the layers take most time; pictures have it,",
        "too. Fingers work as well: drag, pinch, tap.\n",
        "![A transformer of 4,994 layers: its 499 encoder layers are one closed group]"
        "(../images/graph-5000-layers.png)\n",
        "(One encoder layer of a real build, repeated by `utils/write_images.py`.) Groups in an SVG, one closed:\n",
        "![The second stage of a ResNet18: one block open, one closed](../images/engine-groups.svg)\n",
        "| ending | what it is |\n| --- | --- |",
    ]
    for plug in plugs_of(DIAGRAMS):
        endings = ", ".join(f"`{suffix}`" for suffix in plug.value.suffixes)
        parts.append(f"| {endings} | {escaped(plug.summary).replace('``', '`')} |")
    parts += ["", "| `--color-by` | what the color of a layer means |\n| --- | --- |"]
    parts.extend(f"| `{plug.name}` | {escaped(plug.summary)} |" for plug in plugs_of(COLORINGS))
    parts += ["", "| `--group-by` | what groups layers, in frames and closed groups |\n| --- | --- |"]
    parts.extend(f"| `{plug.name}` | {escaped(plug.summary)} |" for plug in plugs_of(GROUPINGS))
    parts += ["", "## The graph as data\n"]
    parts += [f"{(getdoc(member) or '').replace('``', '`')}\n" for member in (graph_json, graphml_text, GraphFact)]
    for title, facts in (("Graph", GRAPH_FACTS), ("Nodes", NODE_FACTS), ("Edges", EDGE_FACTS)):
        parts.append(f"### {title}\n\n| fact | kind | meaning |\n| --- | --- | --- |")
        parts.extend(f"| `{fact.name}` | {fact.kind} | {escaped(fact.meaning)} |" for fact in facts)
        parts.append("")
    parts += ["## Other programs\n", GRAPH_PROGRAMS]
    return "\n".join(parts)


def devices_page() -> str:
    table = devices_table(known_devices({"XDG_CONFIG_HOME": os.devnull})[0])  # without those of the user
    parts = [
        "# Devices\n",
        "GPUs with known peaks: `trex devices` lists them, `trex devices NAME` prints the source of every figure, and",
        "`trex perf PATH --device NAME` compares an engine with one of them. Peaks are dense, in 10¹² operations per",
        "second (a MAC is two); FP16 and FP8 accumulate in FP32; GB/s are 10⁹ bytes per second.\n",
        "| " + " | ".join(column.heading for column in table.columns[:-1]) + " |",
        "|" + "|".join(" ---: " if column.is_number else " --- " for column in table.columns[:-1]) + "|",
    ]
    for row in table.rows:
        cells = (column.cell(value) for column, value in zip(table.columns[:-1], row))
        parts.append("| " + " | ".join(map(escaped, cells)) + " |")
    parts += ["", "Certainty, from high to low:\n"]
    parts += [*(f"- {word}: {meaning}" for word, meaning in CERTAINTIES.items()), ""]
    for title, module in (
        ("How peaks are derived", peaks),
        ("How an engine's device is recognized", recognize),
        ("A device of your own", device_file),
        ("Measured ceilings", ceilings),
    ):
        text = (module.__doc__ or "").partition("\n\n")[2]
        parts.append(f"## {title}\n\n{with_code(text)}\n")
        if module is peaks:
            parts += [peaks_by_capability(), ""]
    return "\n".join(parts)


def rules_page() -> str:
    plugs = sorted(plugs_of(RULES), key=lambda plug: plug.value.code)
    parts = [
        "# Lint rules\n",
        "`trex lint PATH` runs the rules over an engine and ranks findings by likely savings in milliseconds, with an",
        "upper bound; the time of a layer counts once. They are in GPU compute time where it was measured, else in",
        "layer time ([performance.md](performance.md#what-could-be-saved)). `trex explain CODE` prints an entry;",
        "`trex.lint_engine(plan)` is the same in Python. Each rule is one file in `trex/rules/builtin/`, and",
        "`python utils/new.py rule NAME` starts another; packages add rules by the entry point `trex.rules` (a module",
        "with a `RULE`). Experimental rules, without a real engine that has what they find, run only with",
        "`--select CODE`.\n",
        "| code | name | severity | what it finds |\n| --- | --- | --- | --- |",
    ]
    for plug in plugs:
        rule = plug.value
        link = f"[{rule.code}](#{rule.code.lower()}-{plug.name})"
        parts.append(f"| {link} | `{plug.name}` | {rule.severity.word} | {escaped(rule.label)} |")
    parts.append("")
    for plug in plugs:
        rule = plug.value
        parts.append(f"## {rule.code} {plug.name}\n\n{plug.summary.replace('``', '`')}\n")
        if rule.is_experimental:
            parts.append(f"Experimental: runs only with `--select {rule.code}`.\n")
        for heading, text in rule_sections(plug.doc).items():
            body = "\n\n".join(text.split("\n"))
            parts.append(f"**{heading}:** {body}\n")
        if rule.limits:
            parts.append("| limit | default | unit | meaning |\n| --- | ---: | --- | --- |")
            for name, limit in rule.limits.items():
                parts.append(f"| `{name}` | {limit.default:g} | {limit.unit} | {escaped(limit.meaning)} |")
            parts.append("")
    settings = (config_toml.__doc__ or "").partition("\n\n")[2]
    parts.append(f"## Settings\n\n{with_code(settings, 'toml')}\n")
    return "\n".join(parts)


def peaks_by_capability() -> str:
    """Dense operations per clock and SM of every compute capability."""
    columns = {peaks.row_of(arithmetic): arithmetic for arithmetic in PEAKS}
    names = [row if on_matrix else f"{row} (CUDA cores)" for row, on_matrix in columns]
    rows = [f"| compute capability | {' | '.join(names)} | document |", f"| --- |{' ---: |' * len(names)} --- |"]
    for capability in peaks.known_capabilities():
        rates = [peaks.per_clock(capability, arithmetic) for arithmetic in columns.values()]
        cells = ["–" if rate is None else f"{rate.ops:g}" for rate in rates]
        rows.append(f"| {'.'.join(map(str, capability))} | {' | '.join(cells)} | {peaks.document_of(capability)} |")
    return "\n".join(rows)


def with_code(text: str, language: str = "json") -> str:
    """A docstring's text; its indented blocks become code blocks, adjacent ones a single block."""
    parts = []
    for is_code, blocks in groupby(text.strip("\n").split("\n\n"), lambda block: block.startswith("    ")):
        whole = "\n\n".join(blocks)
        parts.append(f"```{language}\n{dedent(whole)}\n```" if is_code else whole.replace("``", "`"))
    return "\n\n".join(parts)


GRAPH_PROGRAMS = """\
- networkx: `networkx.read_graphml("x.graphml", force_multigraph=True)`, or
  `networkx.node_link_graph(json.load(open("x.json")), edges="edges")`.
- Gephi: File › Open; latencies and types are columns to rank and to color by. yEd: open, choose the label under
  Edit › Properties Mapper, then a layout.
- Google's Model Explorer: `model-explorer x.model-explorer.json`; choose the `x.node-data.json` written with the same
  options under "Add per-node data". Layers are in boxes of their modules. Node data is the time, or the value of
  `--color-by` (`precision`, `stream`, `module` …).
- Netron: `x.onnx`. Its nodes are the engine's layers, so it can't be run.
"""


WITH_OUTPUTS = ("README.md", "docs/index.md", "docs/slow-engine.md")

PAGES: dict[str, Callable[[], str]] = {
    "agents.md": agents_page,
    "layer-work.md": layer_work_page,
    "columns.md": columns_page,
    "quirks.md": quirks_page,
    "command-line.md": commands_page,
    "graph-files.md": graph_files_page,
    "json.md": json_page,
    "devices.md": devices_page,
    "charts.md": charts_page,
    "report.md": report_page,
    "rules.md": rules_page,
    "simulated.md": simulated_page,
    "store.md": store_page,
}


def plugs_of(registry: Registry) -> list[Plug]:
    """Our own plugs, without those of installed packages. Raises the error of a plug that can't be imported."""
    return [registry.load(name) for name in registry.names]


def paragraphs(doc: str) -> str:
    """A docstring whose ``Heading: text`` lines become paragraphs with the heading in bold."""
    return _HEADING.sub(r"\n**\1:** ", doc).replace("\n\n\n", "\n\n").replace("``", "`")


def with_examples(doc: str) -> str:
    """A docstring whose indented block after ``examples:`` becomes a code block."""
    text, _, examples = doc.partition("\nexamples:\n")
    if not examples:
        return text.replace("``", "`")
    lines = "\n".join(line.strip() for line in examples.strip().splitlines())
    return f"{text.strip().replace('``', '`')}\n\n```bash\n{lines}\n```"


def option_row(field: OptionField) -> str:
    """One row of a command's table of arguments."""
    if field.is_positional:
        name, default = f"`{field.name.upper()}`", ""
    else:
        value = "" if field.is_switch else " " + (field.metavar or "|".join(field.choices) or field.name.upper())
        name = ", ".join(f"`{flag}`" for flag in (field.flag, *field.flags)).removesuffix("`") + f"{value}`"
        is_unset = not field.default or field.default == -1 or "default" in field.help
        default = "" if is_unset else f"`{field.default}`"
    return f"| {escaped(name)} | {escaped(field.help)} | {default} |"


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def printed_by(words: str) -> str:
    """What ``trex`` prints when called with these words. Raises CalledProcessError if it fails.

    Example networks such as ``resnet18-qat.onnx`` are written for the call.
    """
    called = shlex.split(words)
    networks = [word for word in called if word.removesuffix(".onnx") in network_names() and word.endswith(".onnx")]
    with TemporaryDirectory() as folder:
        for file in networks:
            write_network(file.removesuffix(".onnx"), Path(folder, file), BATCH)
        done = subprocess.run(
            [sys.executable, "-m", "trex", *called],
            cwd=folder if networks else ROOT,
            env={
                **os.environ,
                "COLUMNS": "110",
                "NO_COLOR": "1",
                "PYTHONIOENCODING": "utf-8",
                "PYTHONPATH": os.pathsep.join((str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")]))),
            },
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
    done.check_returncode()
    return done.stdout


def with_outputs(text: str) -> str:
    """The text with the output of the command between each ``<!-- run: trex … -->`` and ``<!-- end -->``."""

    def block(match: re.Match[str]) -> str:
        lines = "\n".join(line.rstrip() for line in printed_by(match[2]).strip("\n").splitlines())
        return f"{match[1]}\n```text\n{lines}\n```\n\n{match[3]}"

    return _RUN.sub(block, text)


def pages() -> dict[str, str]:
    """Every page's text by its path in the repository."""
    written = {
        **{name: with_outputs((ROOT / name).read_text(encoding="utf-8")) for name in WITH_OUTPUTS},
        **{f"docs/{name}": MARK + write().rstrip() + "\n" for name, write in PAGES.items()},
    }
    docs = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    docs |= {name.removeprefix("docs/"): text for name, text in written.items() if name.startswith("docs/")}
    return {**written, "docs/llms.txt": llms_text(docs)}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say which pages are stale")
    check = parser.parse_args(argv).check
    stale = []
    for name, text in pages().items():
        file = ROOT / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                file.parent.mkdir(exist_ok=True)
                file.write_text(text, encoding="utf-8", newline="\n")
    print(f"{'stale' if check else 'written'}: {', '.join(stale)}" if stale else "docs are fresh")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
