"""Doors: every public way for bytes to come in, and what must hold of whatever comes out."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd

import trex
from tests.diagram_files import READERS
from trex import parser
from trex.builder.build_watch import BuildWatch
from trex.builder.tactics import Tactics
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.export.diagram import Drawing, render_diagram
from trex.export.document import render_document
from trex.export.html import render_html
from trex.graph.build import build_graph
from trex.ingest.archive import archive_infos
from trex.ingest.artifacts import engine_from_run, read_artifacts, read_graph_or_text
from trex.ingest.build_log.build_log import parse_build_log
from trex.ingest.build_log.messages import messages
from trex.ingest.files import EngineFiles, find_engines, recognize
from trex.ingest.graph_json import read_graph
from trex.ingest.lenient_json import parse
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.logs.inspector_text import parse_inspector_text
from trex.ingest.logs.raw_lines import RawLines
from trex.ingest.logs.trtexec_log import read_log
from trex.ingest.metadata_json import read_metadata, warm_up_ms
from trex.ingest.plain_blocks import plain_blocks
from trex.ingest.profile_json import read_profile
from trex.ingest.source import read_source
from trex.ingest.spelling.data_types import data_type_of
from trex.ingest.spelling.device_facts import device_facts
from trex.ingest.spelling.layer_names import explain_name, parse_name
from trex.ingest.spelling.origins import module_of, split_origins
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.ingest.spelling.tensor_formats import parse_format
from trex.ingest.text import decode
from trex.ingest.timing_json import read_timing
from trex.plan.engine_plan import EnginePlan
from trex.views.build_watch import status_words, watch_document
from trex.views.completeness import completeness_document, completeness_of
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle
from trex.views.document import Detail, Document
from trex.views.explanation import explain
from trex.views.layers import layers_document
from trex.views.perf.document import performance_document
from trex.views.summary import summary_document, tactics_table
from trex.views.tactics import tactics_document

csv.field_size_limit(1 << 30)

TYPES = (
    "Convolution",
    "Reformat",
    "MatMul",
    "PointWise",
    "Pooling",
    "Scale",
    "Resize",
    "Slice",
    "ConvActPool",
    "",
    "x",
)
LONGEST_MESSAGE = 3000

# What must not reach a terminal, or a file that a terminal may show: controls, and halves of surrogate pairs.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# On a terminal also what ends a line or turns text around.
_NOT_INERT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-inf|-nan")
_COLORS = re.compile("\x1b\\[[0-9;]*m")
_SVG = "{http://www.w3.org/2000/svg}"
_NAMES = ("svg", "title", "style", "defs", "marker", "clipPath", "path", "rect", "text", "g")
_ELEMENTS = frozenset(_SVG + name for name in _NAMES)


# ------------------------------------------------------------------------------------------------- what must hold


def check_error(error: TrexError) -> None:
    """An error that can be shown anywhere: bounded, of characters that every encoding of text takes."""
    text = str(error)
    assert len(error.excerpt) <= 200
    assert len(text) <= LONGEST_MESSAGE + len(error.where), f"{len(text)} characters: {text[:300]!r}"
    check_inert(text, "TrexError")


def check_notes(notes: tuple[Note, ...]) -> None:
    for note in notes:
        assert type(note) is Note
        assert len(note.message) + len(note.hint) <= LONGEST_MESSAGE, f"{note.code}: {note.message[:300]!r}"
        check_inert(str(note), note.code)


def check_inert(text: str, what: str, strange: re.Pattern[str] = _NOT_INERT) -> None:
    match = strange.search(text)
    assert match is None, f"{what}: {text[max(0, match.start() - 40) : match.end() + 40]!r}"


def without_colors(text: str) -> str:
    """The text without the codes for colors and weights of letters, the only ones our own output uses."""
    return _COLORS.sub("", text)


def check_csv(data: bytes) -> None:
    """Every cell is text or a number, none a formula."""
    text = data.decode("utf-8")
    check_inert(text, "csv", _CONTROLS)
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            is_formula = cell.lstrip()[:1] in ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
            assert not is_formula or _NUMBER.fullmatch(cell), cell[:200]


def check_markdown(data: bytes, rows: int) -> None:
    """A table of as many lines as rows, each with as many cells as the header, none of them markup."""
    text = data.decode("utf-8")
    check_inert(text, "markdown")
    lines = [line for line in text.split("\n") if line.startswith("|")]
    assert len(lines) == rows + 2
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}
    assert len(bars) == 1, bars
    assert not re.search(r"(?<!\\)[<>`]", "\n".join(lines)), "markdown holds markup"


def check_svg(text: str) -> None:
    """Well-formed, nothing but the renderer's own elements, no script, link or event handler, only finite numbers."""
    data = text.encode("utf-8")
    check_inert(text, "svg", _CONTROLS)
    for element in ET.fromstring(data).iter():
        assert element.tag in _ELEMENTS, element.tag
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on") and "href" not in name.lower(), name
            assert not re.search(r"\b(?:nan|inf)\b", value) or name == "id", (name, value)


def check_html(text: str) -> None:
    """The page has the elements that the page of a harmless engine has: nothing from an engine is read as markup."""
    check_inert(text, "html", _CONTROLS)
    assert elements_of(text) == _harmless_elements()


def elements_of(page: str) -> list[str]:
    """The page's tags in order, as a browser would see them."""
    words: list[str] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attributes: words.append(f"{tag} {sorted(dict(attributes))}")  # type: ignore
    reader.handle_endtag = lambda tag: words.append(f"/{tag}")  # type: ignore[method-assign]
    reader.handle_comment = lambda data: words.append("comment")  # type: ignore[method-assign]
    reader.feed(page)
    reader.close()
    return words


@cache
def _harmless_elements() -> list[str]:
    return elements_of(page_of(EnginePlan(read_graph(GOOD_GRAPH))))


def page_of(plan: EnginePlan) -> str:
    graph = build_graph(plan)
    return render_html(build_scene(graph, plan), graph, plan)


def check_json(data: bytes) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    text = data.decode("utf-8")
    check_inert(text, "json", _CONTROLS)
    return json.loads(text, parse_constant=refuse)


# ---------------------------------------------------------------------------------------------------- using a plan


def use(plan: EnginePlan, thorough: bool = True) -> None:
    """Everything that is built on a plan, in every output's own language."""
    check_notes(plan.notes)
    check_inert(repr(plan), "repr")
    for size in (plan.total_act_size, plan.total_weights_size):
        assert size >= 0 or math.isnan(size)
    assert plan.total_runtime >= 0 or math.isnan(plan.total_runtime)
    plan.binding_tensors(), plan.bindings, plan.builder_cfg, plan.device_properties, plan.performance_summary
    device_facts(plan.device_properties)
    warm_up_ms(plan.metadata)
    check_document(summary_document(plan))
    tactics_table(plan, "latency"), tactics_table(plan, "id", False)
    for shapes in ("min", "opt", "max", {"x": (1, 2)}):
        with refusing():
            plan.at_shapes(shapes)
    if thorough:
        use_frame(plan)
        use_performance(plan)
        use_diagrams(plan)
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "ascii")):
            trex.EnginePlan.summary(plan)


SHOWN = DiagramStyle(
    color_by="module", fold=True, display_constants=True, display_regions=True, expand_layer_details=True
)
# Larger graphs are drawn plainly only, and read back only where the reader is a fast one.
MANY_LAYERS = 400


def use_performance(plan: EnginePlan) -> None:
    """All sections, without a device and on one, with every derivation."""
    for device in (None, "T4"):
        check_document(performance_document(trex.performance(plan, device), Detail(top=3, explain=True)))


def check_document(document: Document) -> None:
    """Text and Markdown that steer nothing, JSON that is valid."""
    for name in ("text", "markdown"):
        check_inert(render_document(document, name).decode("utf-8"), f"{document.command} as {name}")
    check_json(render_document(document, "json"))


def use_diagrams(plan: EnginePlan) -> None:
    """The graph in every format that needs no other program, each file read back."""
    is_large = len(plan.working_layers) > MANY_LAYERS
    for style in (DiagramStyle(),) if is_large else (DiagramStyle(), SHOWN):
        drawing = Drawing(plan, style)
        check_svg(render_diagram(drawing, "svg").decode("utf-8"))
        check_html(render_diagram(drawing, "html").decode("utf-8"))
        for name, read in READERS.items():
            data = render_diagram(drawing, name)
            if not (is_large and name == "dot"):
                read(data)


def rows_of(data: bytes) -> list[dict[str, Any]]:
    """The rows in the JSON of a table of layers."""
    rows: list[dict[str, Any]] = check_json(data)["sections"]["layers"]["tables"]["layers"]["rows"]
    return rows


def use_frame(plan: EnginePlan) -> None:
    """The DataFrame, its tables by type and its files."""
    df = plan.df
    assert len(df) == len(plan.working_layers)
    sizes = df["total_io_size_bytes"].dropna()
    assert (sizes >= 0).all()
    types = {layer.type for layer in plan.working_layers} | {layer.subtype for layer in plan.working_layers}
    for kind in (*sorted(types)[:40], *TYPES):
        table = plan.get_layers_by_type(kind)
        assert table.index.isin(df.index).all()
    document = layers_document(df, plan)
    check_csv(render_document(document, "csv"))
    assert len(rows_of(render_document(document, "json"))) == len(df)
    check_markdown(render_document(document, "markdown"), len(df))
    assert len(pd.read_parquet(io.BytesIO(render_document(document, "parquet")))) == len(df)
    check_inert(render_document(document, "text").decode("utf-8"), "text")
    trex.clean_for_display(df)
    trex.group_count(df, "type")
    trex.group_sum_attr(df, "precision", "latency.avg_time")
    trex.clean_df(plan.new_frame())
    trex.fix_df(df)
    trex.fix_df(trex.drop_columns(df, ("type", "subtype")))
    trex.annotate_convolutions(df)
    for kind in sorted(types)[:10]:
        trex.filter_by_layer(df, kind)
    for (_, row), layer in zip(df.head(3).iterrows(), plan.working_layers):
        for side in (*trex.create_activations(row), *trex.create_activations(layer)):
            for activation in side:
                repr(activation), activation.tooltip()


@contextmanager
def refusing() -> Iterator[None]:
    """What may refuse its input, by a TrexError and by nothing else."""
    try:
        yield
    except TrexError as error:
        check_error(error)


# ------------------------------------------------------------------------------------------------- one door, one file

GOOD_GRAPH = (
    b'{"Layers": [{"Name": "a", "LayerType": "Convolution", "Inputs": [{"Name": "x", "Dimensions": [1, 8], '
    b'"Format/Datatype": "Half"}], "Outputs": [{"Name": "y", "Dimensions": [1, 8], "Format/Datatype": "Half"}]}], '
    b'"Bindings": ["x", "y"]}'
)


def graph(data: bytes, thorough: bool = True) -> None:
    use(EnginePlan(read_graph(data, "x.graph.json")), thorough)


def graph_or_text(data: bytes, thorough: bool = True) -> None:
    use(EnginePlan(read_graph_or_text(data, "x")), thorough)


def string(data: bytes, thorough: bool = True) -> None:
    use(trex.EnginePlan.from_string(data.decode("utf-8", "surrogateescape")), thorough)


def profile(data: bytes, thorough: bool = True) -> None:
    times = read_profile(data, "x.profile.json")
    check_notes(times.notes)
    assert all(record.average_ms is None or record.average_ms >= 0 for record in times.records)
    use(EnginePlan(read_graph(GOOD_GRAPH), times), thorough)


def timing(data: bytes, thorough: bool = True) -> None:
    times = read_timing(data, "x.timing.json")
    check_notes(times.notes)
    assert {len(column) for column in times.columns.values()} <= {len(times)}
    use(EnginePlan(read_graph(GOOD_GRAPH), query_times=times), thorough)


def metadata(data: bytes, thorough: bool = True) -> None:
    metadata = read_metadata(data, "x.metadata.json")
    check_notes(metadata.notes)
    use(EnginePlan(read_graph(GOOD_GRAPH), metadata=metadata, build_metadata=metadata), thorough)


def log(data: bytes, thorough: bool = True) -> None:
    contents = read_log(data, "x.log")
    check_notes(contents.all_notes)
    for run in contents.runs[:8]:
        if run.raw_layers or run.layer_rows:
            engine = engine_from_run(run, "x.log")
            with refusing():
                use(EnginePlan(engine, run.layer_times, metadata=run.metadata), thorough)


def build_log(data: bytes, thorough: bool = True) -> None:
    contents = parse_build_log(data, "x.log")
    check_notes(contents.notes)
    assert sum(row.tried for row in contents.autotuned) == len(contents.times)
    assert all(
        0 <= row.build < len(contents.builds) for row in (*contents.autotuned, *contents.chosen, *contents.phases)
    )
    tactics = Tactics(contents)
    check_document(tactics_document(tactics))
    for build in range(len(contents.builds)):
        check_document(tactics_document(tactics, build, is_short=True))
    watch = BuildWatch("x.log")
    watch.read(messages(RawLines(data)))
    progress = watch.progress(is_closed=True)
    assert progress.builds == max(len(contents.builds), 1) or not contents.builds
    assert progress.layer_number >= 0 and status_words(progress).isprintable()
    check_document(watch_document(progress, "x.log"))


def inspector(data: bytes, thorough: bool = True) -> None:
    text = data.decode("utf-8", "surrogateescape")
    _, _, notes = parse_inspector_text(re.split(r"\r\n|\n|\r", text), "x.txt")
    check_notes(tuple(notes))
    graph_or_text(b"Layers:\n" + data, thorough)


def rows(data: bytes, thorough: bool = True) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for line in text.split("\n")[:1000]:
        parse_layer_row(line)
        parse_layer_row("Layer(x): " + line + ", Tactic: 1, ")
    log(b"[I] Engine Layer Information:\n" + data, thorough)


def words(data: bytes, thorough: bool = True) -> None:
    """Names, tactics, types and formats: text that stands inside the files."""
    text = data.decode("utf-8", "surrogateescape")
    for word in (text, *text.split("\n")[:20]):
        parts = parse_name(word)
        explain_name(word)
        decode_tactic(word)
        parse_format(word)
        data_type_of(word)
        module_of(split_origins(word), parts)
        with refusing():
            for explanation in explain(word):
                assert explanation.text


def texts(data: bytes, thorough: bool = True) -> None:
    recognize(data)
    recognize(data, "x.graph.json")
    _, notes = decode(data, "x")
    check_notes(notes)
    parsed = parse(data, "x")
    check_notes(parsed.notes)


def compressed(data: bytes, thorough: bool = True) -> None:
    for head in (b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"):
        with refusing():
            notes: list[Note] = []
            for _ in plain_blocks(io.BufferedReader(io.BytesIO(head + data)), len(data), "x", notes):
                pass
            check_notes(tuple(notes))


# ------------------------------------------------------------------------------------------------------ doors by path

NAMES = ("x.graph.json", "x.log", "x.profile.json", "x.tea", "x.json.gz", "layers.txt", "x")


def paths_to(data: bytes, folder: Path, names: Iterable[str] = NAMES) -> None:
    """The bytes as a file of each name, loaded by path and by folder, and what is missing of it."""
    for name in names:
        inner = folder / f"in-{name}"
        inner.mkdir()
        path = inner / name
        path.write_bytes(data)
        before = sorted(inner.iterdir())
        for address in (path, inner):
            with refusing():
                use(trex.load(address), False)
            with refusing():
                for files in find_engines(address):
                    completeness = completeness_of(files)
                    check_document(completeness_document([completeness]))
        with refusing():
            trex.load_all(inner)
        with refusing():
            source = read_source(path)
            check_notes(source.notes)
        assert sorted(inner.iterdir()) == before, "reading wrote something"


def files(data: bytes, thorough: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths_to(data, Path(folder), NAMES if thorough else (NAMES[len(data) % len(NAMES)],))


def archive(data: bytes, thorough: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.tea")
        path.write_bytes(data)
        with refusing():
            infos, notes = archive_infos(str(path))
            check_notes(notes)
            for info in infos[:: 1 + len(infos) // 20]:  # each opens the archive again
                with refusing():
                    check_notes(read_source(f"{path}!{info.filename}").notes)
        with refusing():
            use(trex.load(path), thorough)
        assert [entry.name for entry in Path(folder).iterdir()] == ["x.tea"], "reading wrote something"


def slots(data: bytes, thorough: bool = True) -> None:
    """The bytes in every place of ``trex.EnginePlan`` with a valid graph, and in the classic readers."""
    with tempfile.TemporaryDirectory() as folder:
        good, path = Path(folder, "good.graph.json"), Path(folder, "x.json")
        good.write_bytes(GOOD_GRAPH)
        path.write_bytes(data)
        plans: tuple[Callable[[], EnginePlan], ...] = (
            lambda: trex.EnginePlan(path),
            lambda: trex.EnginePlan(good, path),
            lambda: trex.EnginePlan(good, None, path),
            lambda: trex.EnginePlan(good, None, None, path),
            lambda: trex.EnginePlan(good, timing_file=path),
        )
        for plan in plans:
            with refusing():
                use(plan(), False)
        for slot in ("graph", "profile", "timing", "profile_metadata", "build_metadata", "build_log", "profile_log"):
            files = EngineFiles("x", **{"graph": str(good), slot: str(path)})
            completeness = completeness_of(files)
            check_notes(completeness.notes)
            check_document(completeness_document([completeness]))
            with refusing():
                use(EnginePlan.from_artifacts(read_artifacts(files)), False)
        readers: tuple[Callable[[Any], Any], ...] = (
            parser.import_graph_file,
            parser.read_graph_file,
            parser.read_profiling_file,
            parser.read_timing_file,
            parser.read_metadata_file,
            parser.get_device_properties,
            parser.get_performance_summary,
            parser.get_builder_config,
            lambda where: parser.read_perf_metadata_file(where, "device_information"),
        )
        for reader in readers:
            with refusing():
                reader(path)
        with refusing(), path.open("rb") as file:
            parser.read_json(file)


Door = Callable[[bytes, bool], None]
DOORS: tuple[Door, ...] = (
    graph,
    graph_or_text,
    string,
    profile,
    timing,
    metadata,
    log,
    build_log,
    inspector,
    rows,
    words,
    texts,
    compressed,
    files,
    archive,
    slots,
)


def through(door: Door, data: bytes, thorough: bool = True) -> None:
    """The bytes through one door: a plan with Notes or a TrexError; anything else is raised."""
    with refusing():
        door(data, thorough)
