"""Every diagram format over every engine and every hostile one: each file is read back by a reader of its format."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.diagram_files import READERS, read_pdf, read_png
from tests.engines import READABLE
from tests.factories import conv, engine, layer, t
from tests.fuzz import doors
from tests.simulated_examples import SIMULATED, load_simulated
from tests.synthetic import Case
from trex.core.layer import Role
from trex.engine_plan import load
from trex.export.diagram import FORMATS, Drawing, render_diagram
from trex.export.dot_pictures import has_graphviz, picture_of
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.style import DiagramStyle

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow

EXAMPLE = str(SIMULATED / "resnet18-int8")
CHECKS: dict[str, Callable[[bytes], Any]] = {
    **dict.fromkeys(set(FORMATS.names) - {"png", "pdf", "onnx"}, lambda data: data),  # a new format has no reader yet
    **READERS,
    "svg": lambda data: doors.check_svg(data.decode("utf-8")),
    "html": lambda data: doors.check_html(data.decode("utf-8")),
    **({"png": read_png, "pdf": read_pdf} if importlib.util.find_spec("typst") else {}),
}
TEXTS = sorted(set(CHECKS) - {"png", "pdf", "onnx"})
STYLES = (
    DiagramStyle(),
    DiagramStyle(
        color_by="module",
        fold=True,
        display_constants=True,
        display_regions=True,
        display_region_names=True,
        display_region_reuse=True,
        display_edge_name=True,
        expand_layer_details=True,
    ),
    DiagramStyle(group_by="module", display_regions=True, display_constants=True),
    DiagramStyle(group_by="region", close_groups="all", display_edge_name=True),
    DiagramStyle(fold_from=1, most_nodes=2),
)
STYLE_NAMES = ("plain", "everything", "modules", "closed", "limit")
IN_EACH_STYLE = pytest.mark.parametrize(
    "style",
    [
        pytest.param(style, id=name, marks=pytest.mark.slow if i > 1 else ())
        for i, (style, name) in enumerate(zip(STYLES, STYLE_NAMES))
    ],
)

NAMES = {
    "markup": "<>&\"'\\",
    "entities": "&lt;&#0;&bogus;]]><!--",
    "script": '</script><script>alert(1)</script><img src=x onerror="alert(1)">',
    "line breaks": "a\nb\r\nc\rd\x85e\u2028f\u2029g",
    "right to left": "\u202egnp.exe\u2066\u05d0\u0627",
    "emoji": "🙂👩‍👩‍👧",
    "half a surrogate pair": "x\ud83d\udcffy",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x80\x9b31m",
    "no characters": "\ufffe\uffff\ufdd0\x00",
    "escapes": "%s%n{0}\\l\\N\\G\\",
    "paths": "../a;b\\/c//d/" + "/".join("s" * 3000),
    "words of JavaScript": "__proto__",
    "long": "x" * 40_000,
    "long and wide": "\U0001f642\ud83d" * 5_000,
    "nothing": "",
    "blank": " ",
}


def hostile(*names: str) -> EnginePlan:
    """An engine whose texts are all among these."""
    records: dict[str, Any] = {name: {name or "Key": name, "Origin": name, "Deep": {name: [[name]]}} for name in names}
    layers = [
        layer(
            name,
            name,
            [t(name), t(f"{name}'")],
            [t(name, (None, 2))],
            tactic=name,
            origins=[name, name],
            module=name,
            stream=1,
            **records[name],
        )
        for name in names
    ]
    return EnginePlan(engine(*layers, inputs=names[:2], outputs=names[-2:], name=names[0]))


ENGINES: dict[str, Callable[[], EnginePlan]] = {
    **{name: (lambda text=text: hostile(text)) for name, text in NAMES.items()},  # type: ignore[misc]
    "all of these": lambda: hostile(*NAMES.values()),
    "empty": lambda: EnginePlan(engine()),
    "empty with bindings": lambda: EnginePlan(engine(inputs=["x"], outputs=["y"])),
    "one opaque node": lambda: EnginePlan(
        engine(layer("{ForeignNode[a...b]}", "Myelin", ["x"], ["y"]), inputs=["x"], outputs=["y"])
    ),
    "no tensors": lambda: EnginePlan(engine(layer("a", inputs=[], outputs=[]), layer("a", inputs=[], outputs=[]))),
    "tensors of unknown everything": lambda: EnginePlan(
        engine(layer("a", inputs=[t("x", None, "Unknown", "Unknown")], outputs=[t("y", None, "Unknown", "Unknown")]))
    ),
    "names reused in a cycle": lambda: EnginePlan(
        engine(
            layer("a", inputs=["c"], outputs=["a"]),
            layer("b", inputs=["a"], outputs=["a", "b"]),
            layer("c", inputs=["b", "a"], outputs=["c"]),
            layer("itself", inputs=["s"], outputs=["s"]),
            layer("again", inputs=["c"], outputs=["c"]),
            inputs=["c"],
            outputs=["c"],
        )
    ),
    "several writers": lambda: EnginePlan(
        engine(
            *(layer(f"w{i}", inputs=["x"], outputs=["m"]) for i in range(3)),
            *(layer(f"r{i}", inputs=["m"], outputs=[f"y{i}"]) for i in range(3)),
            inputs=["x"],
        )
    ),
    "constants": lambda: EnginePlan(
        engine(
            layer("w", "Constant", [], ["w"], role=Role.CONSTANT),
            conv("c", [t("x"), t("w")], [t("y")]),
            inputs=["x"],
            outputs=["y"],
        )
    ),
}


@IN_EACH_STYLE
@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_engine_in_every_format(case: Case, style: DiagramStyle, tmp_path: Path) -> None:
    plan = load(case.write(tmp_path))
    drawing = Drawing(plan, style)
    for name in TEXTS:
        read = CHECKS[name](render_diagram(drawing, name))
        if name in ("graphml", "json", "model-explorer"):
            assert list(read.nodes) == [f"n{node.id}" for node in drawing.whole_graph.nodes]
            assert len(read.edges) == len(drawing.whole_graph.edges)


@IN_EACH_STYLE
@pytest.mark.parametrize("engine_name", ENGINES)
def test_every_hostile_engine_in_every_format(engine_name: str, style: DiagramStyle) -> None:
    drawing = Drawing(ENGINES[engine_name](), style)
    for name, check in CHECKS.items():
        if name in ("png", "pdf") and style is not STYLES[0]:
            continue  # they are the SVG
        data = render_diagram(drawing, name)
        check(data)
        assert render_diagram(Drawing(drawing.plan, style), name) == data, "not the same every time"


@pytest.mark.skipif(not has_graphviz(), reason="Graphviz is absent")
@pytest.mark.parametrize("engine_name", ["all of these", "empty", "names reused in a cycle", "one opaque node"])
def test_graphviz_reads_hostile_dot(engine_name: str) -> None:
    for style in STYLES:
        text = render_diagram(Drawing(ENGINES[engine_name](), style), "dot")
        assert picture_of(text.decode("utf-8"), "canon")


@cache
def _digests(seed: str) -> str:
    """Digest of each format's file of an example, made by a process with its own order of sets."""
    program = (
        "import hashlib\nfrom tests.simulated_examples import load_simulated\n"
        "from trex.export.diagram import Drawing, render_diagram\n"
        "from tests.test_every_diagram import STYLES, TEXTS\n"
        "for style in STYLES:\n    for name in TEXTS:\n"
        "        data = render_diagram(Drawing(load_simulated('transformer-fp16'), style), name)\n"
        "        print(name, hashlib.sha256(data).hexdigest())\n"
    )
    root = Path(__file__).resolve().parents[1]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root, env=environment
    ).stdout


@pytest.mark.slow
def test_files_do_not_depend_on_the_order_of_sets() -> None:
    assert _digests("1") == _digests("2") != ""


# -------------------------------------------------------------------------------------------- files that are not made


def target(name: str, folder: Path) -> Path:
    return folder / f"x{FORMATS[name].value.suffixes[0]}"


def draw(capsys: pytest.CaptureFixture[str], path: Path, code: int) -> str:
    from trex.cli.main import main

    assert main(["draw", EXAMPLE, "--hottest", "3", "-o", str(path)]) == code
    return capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_an_unwritable_path_is_told_and_nothing_is_written(
    name: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = target(name, tmp_path)
    assert "mkdir -p" in draw(capsys, file.parent / "none" / file.name, 2)
    file.mkdir()
    assert "a folder, not a file" in draw(capsys, file, 2)
    file.rmdir()
    (tmp_path / "plain").write_text("x")
    assert "folder does not exist" in draw(capsys, tmp_path / "plain" / file.name, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain"]
    if os.geteuid() != 0:  # everything may be written by root
        tmp_path.chmod(0o500)
        assert "cannot be written" in draw(capsys, file, 2)
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_full_disk_leaves_the_old_file(
    name: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = target(name, tmp_path)
    file.write_text("old")

    def full(self: Path, other: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "No space left on device" in draw(capsys, file, 2)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_text() == "old"
    monkeypatch.undo()
    draw(capsys, file, 0)
    CHECKS[name](file.read_bytes())
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_renderer_that_fails_leaves_the_old_file(name: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trex.cli.main import main

    file = target(name, tmp_path)
    file.write_text("old")

    def fails(*arguments: object) -> None:
        raise RuntimeError("half-way")

    monkeypatch.setattr("trex.export.diagram.drawn_graph", fails)
    with pytest.raises(RuntimeError, match="half-way"):
        main(["draw", EXAMPLE, "-o", str(file)])
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_text() == "old"


def test_real_engines(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        drawing = Drawing(load(folder))
        for name in set(TEXTS) - {"svg", "html"}:
            CHECKS[name](render_diagram(drawing, name))


def test_examples_are_the_same_in_every_file() -> None:
    plan = load_simulated("transformer-fp16")
    drawing = Drawing(plan)
    files = {name: READERS[name](render_diagram(drawing, name)) for name in ("graphml", "json", "model-explorer")}
    for node in drawing.graph.layer_nodes:
        records = [files["graphml"].nodes[f"n{node.id}"], files["json"].nodes[f"n{node.id}"]]
        records.append(files["model-explorer"].nodes[f"n{node.id}"]["attrs"])
        for key in ("name", "precision", "latency_ms", "share_pct", "tactic", "stream", "module", "weights_bytes"):
            assert len({str(record[key]) for record in records if record.get(key) is not None}) <= 1, key
