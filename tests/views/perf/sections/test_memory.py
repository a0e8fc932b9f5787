"""The memory section: sentences, tables and data of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.factories import conv, engine, layer, stored, t
from tests.synthetic import Case
from tests.test_every_engine import opened
from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.tensor import ShapeRange
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Detail, Section
from trex.views.perf.document import SECTIONS
from trex.views.perf.sections.memory import SECTION

KIB = 1024


def b(name: str, size: int):
    return t(name, [size], "INT8")


#  layer    0 stem  1 left  2 right  3 join
#  s 100Ki  ▪       ▪       ▪        ▪
#  l  60Ki          ▪       ▪
#  r  30Ki                  ▪        ▪        → 100 160 190 130
SKIP = engine(
    layer("stem", inputs=[b("x", 8)], outputs=[b("s", 100 * KIB)], weights=[stored("weights", "FP32", 512)],
          module="/net/stem"),
    layer("left", inputs=[b("s", 100 * KIB)], outputs=[b("l", 60 * KIB)], weights=[stored("weights", "INT8", 256)],
          module="/net/left"),
    layer("right", inputs=[b("l", 60 * KIB)], outputs=[b("r", 30 * KIB)]),
    layer("join", inputs=[b("s", 100 * KIB), b("r", 30 * KIB)], outputs=[b("y", 8)]),
    inputs=["x"],
    outputs=["y"],
)  # fmt: skip


def content(whole: Engine, top: int = 10, **memory: int) -> Section:
    result = SECTION.make(Performance(EnginePlan(whole, metadata=Metadata(memory=memory))), Detail(top))
    assert result is not None
    return result


def table(section: Section, title: str) -> list[tuple]:
    return next((list(item.rows) for item in section.tables if item.title == title), [])


def test_it_is_among_the_sections() -> None:
    assert SECTIONS["memory"].value is SECTION
    assert SECTION.order == 70


def test_sentences_say_what_sets_the_peak() -> None:
    text = "\n".join(content(SKIP).statements)
    assert "Activations need 190.0 KiB, while layer 2 (right) runs; inputs and outputs are the caller's (16 B)." in text
    assert "100.0 KiB of the peak (53 %) only wait there for later layers, in 1 tensor." in text
    assert "Weights take 2.2 KiB (2.0 KiB FP32, 256 B INT8)" in text
    assert "in FP16 or BF16 those of FP32 would take 1.0 KiB less (arithmetic only: accuracy is not judged)" in text


def test_the_tensors_at_the_peak() -> None:
    rows = table(content(SKIP), "Tensors at the peak")
    assert rows[0] == ("s", "102400", "INT8", 100 * KIB, "0 stem", "3 join", "waits", 90 * KIB)
    assert [row[0] for row in rows] == ["s", "l", "r"]
    assert [row[0] for row in table(content(SKIP, top=1), "Tensors at the peak")] == ["s"]


def test_weights_by_precision() -> None:
    assert [row[:3] for row in table(content(SKIP), "Weights by precision")] == [("FP32", 1, 2048), ("INT8", 1, 256)]


def test_layers_on_other_streams_may_need_more() -> None:
    whole = engine(layer("a", outputs=[b("t", 8)], stream=0), layer("c", inputs=[b("t", 8)], stream=1), inputs=["x"],
                   outputs=["y"])  # fmt: skip
    assert any("1 layer on auxiliary streams may run in parallel" in line for line in content(whole).statements)
    assert not any("auxiliary streams" in line for line in content(SKIP).statements)


def test_unknown_sizes_are_at_least() -> None:
    whole = engine(
        layer("a", outputs=[b("t", 2048), t("u", [None])]),
        layer("c", inputs=[b("t", 2048), t("u", [None])]),
        inputs=["x"],
        outputs=["y"],
    )
    text = "\n".join(content(whole).statements)
    assert "need at least 2.0 KiB" in text
    assert "1 tensor of unknown size could not be counted, so the figures are lower bounds." in text


def test_a_peak_that_is_not_known_is_said() -> None:
    whole = engine(layer("a", outputs=[t("t", None)]), layer("c", inputs=[t("t", None)]), inputs=["x"], outputs=["y"])
    assert "is unknown" in content(whole).statements[0]


def test_nothing_to_tell() -> None:
    bare = replace(layer("a", inputs=[], outputs=[]), raw={"Name": "a"})
    assert SECTION.make(Performance(EnginePlan(engine(bare))), Detail()) is None
    assert SECTION.make(Performance(EnginePlan(engine())), Detail()) is None


def test_dynamic_engines_are_told_at_their_largest_shapes() -> None:
    names = ["x", "t", "u", "y"]
    steps = [conv(f"c{i}", [t(names[i], [None, 10])], [t(names[i + 1], [None, 10])]) for i in range(3)]
    whole = engine(*steps, inputs=["x"], outputs=["y"])
    binding = replace(whole.bindings[0], profiles=(ShapeRange((1, 10), (4, 10), (16, 10)),))
    result = content(replace(whole, bindings=(binding, *whole.bindings[1:])), activation_bytes=640)
    assert "Activations need 640 B at the max shapes" in result.statements[0]
    assert "the tensors' peak is 640 B at the max shapes: equal." in "\n".join(result.statements)
    assert [row[:2] for row in table(result, "Peak at the profile's shapes")] == [
        ("min", 40),
        ("opt", 160),
        ("max", 640),
    ]


def test_names_of_an_engine_are_clipped_and_printable() -> None:
    name = "a\x1b[31m" + "b" * 500
    whole = engine(layer(name, outputs=[b("t\n" + "t" * 500, 2048)]), layer("c", inputs=[b("t\n" + "t" * 500, 2048)]),
                  inputs=["x"], outputs=["y"])  # fmt: skip
    for statement in content(whole).statements:
        assert statement.isprintable()
        assert len(statement) < 300


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_case_has_its_section(case: Case, tmp_path: Path) -> None:
    result = SECTION.make(Performance(opened(case, tmp_path)), Detail(explain=True))
    if result is not None:
        assert result.statements
        for item in result.tables:
            assert all(len(row) == len(item.columns) for row in item.rows)
            assert item.rows
