"""Products as convolutions."""

from __future__ import annotations

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import after, network, sound
from trex.core.release import Release
from trex.simulator.draft import NetworkDraft, StepKind

_OLD = target("A100", release=Release(8, 4))


def draft_of(text: str, shape: tuple[int, ...] = (2, 8)) -> NetworkDraft:
    draft = after(network("w: 8x4\n b: 4\n" + text, "g", shape), "gemms-as-convolutions", "reshapes", of=_OLD)
    sound(draft)
    return draft


def test_rows_become_images_of_one_pixel() -> None:
    draft = draft_of("g = Gemm x w b")
    assert [step.label for step in draft.steps] == ["reshape_before_g", "g", "reshape_after_g"]
    step = draft.steps[1]
    assert step.kind is StepKind.CONVOLUTION
    assert (draft.shape_of(step.inputs[0]), draft.shape_of(step.outputs[0])) == ((2, 8, 1, 1), (2, 4, 1, 1))


def test_the_reshapes_around_it_go() -> None:
    draft = draft_of("p = GlobalAveragePool x\n f = Flatten p\n g = Gemm f w b", (2, 8, 4, 4))
    assert [step.label for step in draft.steps] == ["p", "g", "reshape_after_g"]


def test_two_in_a_row_need_none_between() -> None:
    draft = draft_of("v: 4x4\n e = Gemm x w b\n g = Gemm e v")
    assert [step.label for step in draft.steps] == ["reshape_before_e", "e", "g", "reshape_after_g"]


@pytest.mark.parametrize("text", ["g = Gemm x w b | transA=1", "g = Gemm x w b | alpha=0.5", "g = MatMul x x"])
def test_other_products_stay(text: str) -> None:
    assert draft_of(text, (8, 8)).steps[0].kind is StepKind.MATRIX_MULTIPLY


def test_later_releases_leave_them() -> None:
    draft = after(network("w: 8x4\n g = MatMul x w", "g", (2, 8)), "gemms-as-convolutions")
    assert draft.steps[0].kind is StepKind.MATRIX_MULTIPLY
