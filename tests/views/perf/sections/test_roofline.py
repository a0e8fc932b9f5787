"""The roofline's section: sentences, tables and derivations of engines that are known by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, engine, layer, t, time
from tests.perf.round_device import round_device
from trex.core.timings import LayerTimes
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Detail
from trex.views.perf.sections.roofline import SECTION

KERNEL = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"
X, Y, Z = t("x", [32, 256, 28, 28]), t("y", [32, 256, 28, 28]), t("z", [32, 256, 28, 28])


def performance(*ms, layers, device=None):
    # conv: M = 32·784 = 25088, N = 256, K = 2304: 14.8 G MACs, 29.6·10⁹ / 10¹⁴ = 0.2960 ms.
    # copy: 12.8 MB in and out at 500 GB/s = 0.0514 ms.
    times = LayerTimes(tuple(time(item.name, entry) for item, entry in zip(layers, ms))) if ms else None
    return Performance(EnginePlan(engine(*layers), times), device)


def content(result, **detail):
    return SECTION.make(result, Detail(**detail))


@pytest.fixture
def both():
    import dataclasses

    first = conv("c", [X], [Y], (3, 3))
    return dataclasses.replace(first, tactic=KERNEL), layer("r<b>", "Reformat", [Y], [Z])


def test_the_headline(both):
    text = content(performance(0.6, 0.2, device=round_device(), layers=both))
    assert text.statements[0] == (
        "Layers bound by tensor cores take 75 % of the time, memory-bound layers 25 %; "
        "0.3567 ms of 0.8000 ms layer time could be saved."
    )
    # 0.6 − 0.2960/0.8 = 0.2301 and 0.2 − 0.0514/0.7 = 0.1266
    assert text.statements[1].endswith("Half of it lies in 1 layer.")
    assert text.data["total_headroom_ms"] == pytest.approx(0.3567, abs=1e-4)


def test_tables(both):
    by_bound, ranking = content(performance(0.6, 0.2, device=round_device(), layers=both)).tables
    assert [row[:2] for row in by_bound.rows] == [("tensor cores", 1), ("memory", 1)]
    assert [row[1] for row in ranking.rows] == ["c", "r<b>"]
    assert ranking.rows[0][9] == pytest.approx(100)  # 25088 = 196·128, 256 = 4·64, 2304 = 72·32
    # 196 · 4 = 784 tiles on 10 SMs: 79 waves, 784/790.
    assert ranking.rows[0][10] == pytest.approx(100 * 784 / 790)
    for top in range(3):
        ranking = content(performance(0.6, 0.2, device=round_device(), layers=both), top=top).tables[1]
        assert (len(ranking.rows), ranking.left_out) == (top, 2 - top)


def test_sums_leave_out_layers_without_a_time(both):
    layers = (*both, replace(both[0], name="d", index=2))
    result = content(performance(0.6, 0.2, device=round_device(), layers=layers))
    assert result.statements[0].endswith("could be saved (2 of 3 layers have a time).")
    by_bound = result.tables[0]
    (tensor_cores,) = (row for row in by_bound.rows if row[0] == "tensor cores")
    assert tensor_cores[1:3] == (2, 1)
    assert tensor_cores[5] == pytest.approx(0.2960, abs=1e-4)
    assert result.data["timed_layers"] == 2
    assert result.data["total_attainable_ms"] == pytest.approx(0.2960 + 0.0514, abs=1e-3)


def test_the_share_of_good_kernels_is_that_of_the_layers_counted(both):
    pooling = layer("p", "Pooling", [Y], [Z])
    for layers in (both, (*both, pooling)):
        by_bound = content(performance(0.6, 0.2, 0.1, device=round_device(), layers=layers)).tables[0]
        _, count, _, ms, _, attainable, _, saved, good = next(row for row in by_bound.rows if row[0] == "memory")
        assert saved == pytest.approx(ms - attainable / (good / 100))
        assert good == pytest.approx(70) if count == 1 else (count, 70 < good < 85) == (2, True)


def test_derivations_are_listed_on_request(both):
    result = performance(0.6, 0.2, device=round_device(), layers=both)
    assert content(result).derivations == ()
    (name, steps), (other, copy) = content(result, explain=True).derivations
    assert (name, other) == ("0 c", "1 r<b>")
    for words in (
        "M = 25088, N = 256, K = 2304",
        "14.8 G MACs",
        "FP16 MACs on tensor cores, summed in FP32",
        "2 · 14.8 G / 100 TFLOP/s = 0.2960 ms",
        "attainable: the longest of these, 0.2960 ms: tensor cores",
        "reached: 0.2960 / 0.6000 ms = 49 %",
        "could be saved: 0.6000 − 0.2960 / 0.80 = 0.2301 ms",
        "tiles of 128×64×32",
        "784 tiles, 1 at a time on each SM: 79 waves, 99 % full",
    ):
        assert words in steps, words
    assert "memory: 24.5 MiB / 500 GB/s = 0.0514 ms" in copy


def test_without_a_device(both):
    text = content(performance(0.6, 0.2, layers=both), explain=True)
    assert "--device" in text.statements[0] and not text.notes
    (table,) = text.tables
    assert table.title == "Slowest layers" and [row[1] for row in table.rows] == ["c", "r<b>"]
    assert "GB/s" in text.derivations[0][1]


def test_layers_that_nothing_ranks_are_not_called_the_longest(both):
    (table,) = content(performance(layers=both)).tables
    assert table.title == "Layers in the order of execution"
    assert [row[0] for row in table.rows] == sorted(row[0] for row in table.rows)


def test_without_times(both):
    text = content(performance(device=round_device(), layers=both), explain=True)
    assert text.statements[0].startswith(
        "Layer times were not measured. On Round the layers take 0.3473 ms at the least"
    )
    assert [row[1] for row in text.tables[1].rows] == ["c", "r<b>"]
    assert "reached" not in text.derivations[0][1]


def test_nothing_to_save(both):
    text = content(performance(0.36, 0.07, device=round_device(), layers=both))
    assert (
        text.statements[0].endswith("of 0.4300 ms layer time next to nothing could be saved.")
        and len(text.statements) == 1
    )


def test_a_contradiction_is_told(both):
    text = content(performance(0.1, 0.2, device=round_device(), layers=both), explain=True)
    assert [note.code for note in text.notes] == ["faster-than-possible"]
    assert any("contradiction" in steps for _, steps in text.derivations)
    assert text.statements[0].startswith(
        "These times and this device contradict each other: 1 layer (33 % of the time)"
    )


def test_a_contradiction_of_little_time_does_not_come_first(both):
    text = content(performance(0.001, 0.2, device=round_device(), layers=both))
    assert [note.code for note in text.notes] == ["faster-than-possible"]
    assert text.statements[0].startswith("Memory-bound layers take")


def test_unknown_work_is_counted():
    dark = layer("p", "PluginV2", [t("x", None)], [t("y", None)])
    text = content(performance(0.5, device=round_device(), layers=[dark]), explain=True)
    assert text.statements[0].startswith("For 1 layer (100 % of the time) the roofline is not known")


def test_unknown_dimensions_are_a_matter_of_shapes():
    dynamic = conv("c", [t("x", [None, 16, 8, 8], "FP16")], [t("y", [None, 16, 8, 8], "FP16")], (3, 3))
    text = content(performance(0.5, device=round_device(), layers=[dynamic]))
    assert text.statements[0].endswith("Shapes of the optimization profile may help: --shapes opt.")


def test_nothing_of_an_engine_without_layers():
    assert content(Performance(EnginePlan(engine()), round_device())) is None


def test_regions_are_said_to_be_judged_as_one_kernel(both):
    region = layer("{ForeignNode[a...b]}", "Myelin", [Z], [t("w", [1, 64])])
    result = performance(0.6, 0.2, 0.1, layers=[*both, region], device=round_device())
    result.__dict__["works"] = (*result.works[:2], replace(result.works[2], macs=1e6, other_ops=0.0, confidence=0.5))
    lines = content(result).statements
    assert any(
        line.startswith("Regions of many kernels are judged as if one did it all, 1 layer (11 %") for line in lines
    )
