"""The section on the device: what the figures are judged against, and what to keep in mind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.synthetic import CASES, Case
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import load
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.views.document import Detail, Section
from trex.views.perf.sections.device import SECTION

NOWHERE = {"XDG_CONFIG_HOME": "/nowhere"}


def section_of(device: Device | None) -> Section:
    content = SECTION.make(Performance(synthetic_engine("resnet18-fp16"), device), Detail())
    assert content is not None
    return content


def test_the_device_of_the_files() -> None:
    content = section_of(None)
    assert content.statements[0] == (
        "Figures are judged against the peaks of Synthetic A100-like device "
        "(compute capability 8.0, 108 SMs, 1.41 GHz)."
    )
    assert {fact.label: fact.text for fact in content.facts}["Memory bandwidth"] == "1,555 GB/s (reported)"
    assert "device-is-synthetic" in [note.code for note in content.notes]


def test_a_device_chosen_by_hand() -> None:
    content = section_of(find_device("L4", NOWHERE))
    assert "NVIDIA L4" in content.statements[0]
    assert any("held to 72 W" in statement for statement in content.statements)
    assert content.facts[0].text == "NVIDIA L4"


def test_half_rates_are_told_where_they_matter() -> None:
    geforce = section_of(find_device("RTX 4090", NOWHERE))
    assert any("sums in FP32 at half rate" in statement for statement in geforce.statements)
    unknown = section_of(replace(find_device("RTX 4090", NOWHERE), halves_fp32_accumulation=None))
    assert any("half rate is assumed" in statement for statement in unknown.statements)
    full = section_of(find_device("L40S", NOWHERE))
    assert not any("half rate" in statement for statement in full.statements)


@pytest.mark.parametrize(("clock", "words"), [(1.2, "85 % of the clock assumed"), (1.41, "close to or above")])
def test_the_clock_that_ran(clock: float, words: str) -> None:
    device = replace(find_device("NVIDIA A100-SXM4-40GB", NOWHERE), running_clock_ghz=clock)
    assert any(words in statement for statement in section_of(device).statements)


def test_what_is_not_known_of_a_device_is_said() -> None:
    content = section_of(Device("Some GPU"))
    assert content.statements[:2] == (
        "Figures are judged against the peaks of Some GPU.",
        "Not known of it: its memory bandwidth and its peaks; what needs that stays unknown.",
    )


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if not case.expect.error and not case.needs], ids=lambda case: case.name
)
def test_every_case(case: Case, tmp_path) -> None:
    plan = load(case.write(tmp_path))
    content = SECTION.make(Performance(plan), Detail(explain=True))
    assert content is not None and content.statements
    if Performance(plan).device is None:
        assert [note.code for note in content.notes] == ["no-device"]
