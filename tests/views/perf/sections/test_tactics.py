"""The section about kernels: what it says of families, units, generations and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.factories import engine, layer, time
from tests.simulated_examples import load_simulated
from tests.synthetic import Case
from tests.test_every_engine import opened
from trex.core.timings import LayerTimes
from trex.engine_plan import load_all
from trex.ingest.spelling.tactic_names import decode_tactic
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Detail, Section
from trex.views.perf.document import SECTIONS
from trex.views.perf.sections.tactics import SECTION

TENSOR = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1_tensor16x8x16"
SPARSE = "sm80_xmma_sparse_gemm_f16f16_f16f32_f32_tt_t_tilesize128x128x64_stage3_warpsize2x2x1_sptensor16x8x32_execute_"
SPARSE += "kernel_5x_cusparselt"
OLD = "volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1"
WINOGRAD = "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"
STRANGE = "my_own_plugin_thing"
A10 = Device("A10", compute_capability=(8, 6))


def content(*tactics: str, ms: tuple[float, ...] = (), device: Device | None = A10) -> Section:
    layers = [layer(f"l{index}", tactic=tactic) for index, tactic in enumerate(tactics)]
    times = LayerTimes(tuple(time(item.name, entry) for item, entry in zip(layers, ms, strict=True))) if ms else None
    result = SECTION.make(Performance(EnginePlan(engine(*layers), times), device), Detail())
    assert result is not None
    return result


def rows(section: Section, title: str) -> list[tuple]:
    return next((list(table.rows) for table in section.tables if table.title == title), [])


def test_it_is_among_the_sections() -> None:
    assert SECTIONS["tactics"].value is SECTION
    assert SECTION.order == 60


def test_names_of_a_simulation_are_invented() -> None:
    result = SECTION.make(Performance(load_simulated("resnet18-int8")), Detail())
    assert result is not None
    assert "names of its kernels are invented" in result.statements[-1]


def test_families_and_units_by_time() -> None:
    result = content(TENSOR, WINOGRAD, OLD, "", ms=(2.0, 1.0, 5.0, 2.0))
    assert result.statements[0] == (
        "3 kernels of 2 families: cuDNN and cuBLAS 60 % of the time, xmma 20 % of the time."
    )
    # 7 of the 8 ms of convolutions and matrix products
    assert result.statements[1] == (
        "Of the 3 layers that multiply matrices: 88 % of their time on Tensor Cores, 12 % of their time on CUDA cores."
    )
    assert rows(result, "Kernels by family") == [
        ("cuDNN and cuBLAS", 2, 2, 6.0, 60.0),
        ("xmma", 1, 1, 2.0, 20.0),
        ("no kernel named", 1, 0, 2.0, 20.0),
    ]


def test_kernels_of_an_older_generation_are_told() -> None:
    result = content(TENSOR, OLD, ms=(3.0, 1.0))
    (texts,) = [statement for statement in result.statements if "older generation" in statement]
    assert texts == (
        "1 layer multiplies with kernels of an older generation than the device: written for compute capability 7.0, "
        "the device has 8.6 (25 % of the time)."
    )
    assert not any("older generation" in statement for statement in content(TENSOR, OLD, device=None).statements)


def test_kernels_of_a_newer_device_contradict_it() -> None:
    result = content("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n", device=A10)
    assert any("newer device than compute capability 8.6" in statement for statement in result.statements)


def test_sparse_and_strange_names() -> None:
    result = content(SPARSE, WINOGRAD, STRANGE, OLD)
    text = " ".join(result.statements)
    assert "1 layer runs a kernel for 2:4 sparse weights." in text
    assert "1 name is of no known family: my_own_plugin_thing." in text


def test_engines_without_kernels_have_no_section() -> None:
    assert SECTION.make(Performance(EnginePlan(engine(layer("a")))), Detail()) is None


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_case_has_its_section(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    result = SECTION.make(Performance(plan), Detail(explain=True))
    assert (result is None) == (not any(item.tactic for item in plan.working_layers))
    if result is not None:
        assert all(result.statements)
        layers = sum(row[1] for row in rows(result, "Kernels by family"))
        assert layers == len(plan.working_layers)


def test_real_engines(shared_engines: Path) -> None:
    for plan in load_all(shared_engines):
        result = SECTION.make(Performance(plan), Detail())
        kernels = {item.tactic for item in plan.working_layers if item.tactic}
        assert (result is None) == (not kernels)
        if result is not None:
            unknown = any(not decode_tactic(name).family for name in kernels)
            assert ("of no known family" in " ".join(result.statements)) == unknown
