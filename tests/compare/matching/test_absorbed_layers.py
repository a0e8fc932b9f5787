"""A small kernel missing next to one whose name omits some work: fused or removed is ambiguous."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.factories import chain, engine, layer, t, time
from trex.compare.causes import Cause, changes_of
from trex.compare.matching.align import AMBIGUOUS, align
from trex.core.layer import Layer
from trex.core.timings import LayerTimes
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan

SHAPE = [1, 8, 16, 16]
S1, S2 = "__myln_k_arg__bb1_1_myl0", "__myln_k_arg__bb1_2_myl0"
"""Scratch memory of Myelin's: no name of the model's."""


def product(name: str, reads: str, writes: str, shape: Sequence[int] = SHAPE) -> Layer:
    """A convolution as Myelin calls it: by its first node, whatever else it does."""
    return made(f"{name}_myl0_1", "gemm", reads, writes, shape)


def small(words: str, reads: str, writes: str, shape: Sequence[int] = SHAPE) -> Layer:
    return made(f"__myl_{words}_myl0_2", "kgen", reads, writes, shape)


def made(name: str, type: str, reads: str, writes: str, shape: Sequence[int]) -> Layer:
    made = layer(name, type, [t(reads, SHAPE)], [t(writes, shape)])
    return replace(made, name_parts=parse_name(name), tactic=type)


def plan(*layers: Layer) -> EnginePlan:
    numbered = chain(*layers)
    return EnginePlan(engine(*numbered), LayerTimes(tuple(time(each.name, 1.0) for each in numbered)))


def causes(left: EnginePlan, right: EnginePlan) -> list[tuple[int, int, Cause, bool]]:
    found = changes_of(align(left, right))
    return [(len(each.match.left), len(each.match.right), each.cause, not each.match.is_ambiguous) for each in found]


def test_a_missing_kernel_between_gemms_is_ambiguous():
    left = plan(product("a/Conv", "x", S1), small("AddMul", S1, S2), product("b/Conv", S2, "y"))
    right = plan(product("a/Conv", "x", S1), product("b/Conv", S1, "y"))
    found = align(left, right)
    assert causes(left, right) == [(2, 1, Cause.UNEXPLAINED, False), (1, 1, Cause.UNEXPLAINED, False)]
    assert all(match.confidence <= AMBIGUOUS for match in found.matches)
    (note,) = found.notes
    assert note.code == "fusion-or-removal"
    assert note.message.startswith("1 layer group with a small kernel")
    first, second = changes_of(found)
    assert "absorbed by its neighbor or removed" in first.words
    assert "may have absorbed" in second.words
    first, _ = changes_of(align(right, left))
    assert "split off from its neighbor or added" in first.words


def test_its_output_tensor_proves_the_fusion():
    left = plan(
        product("a/Conv", "x", "a/Conv_out"),
        small("AddMul", "a/Conv_out", "a/Mul_out"),
        product("b/Conv", "a/Mul_out", "y"),
    )
    right = plan(product("a/Conv", "x", "a/Mul_out"), product("b/Conv", "a/Mul_out", "y"))
    assert causes(left, right) == [(2, 1, Cause.FUSION, True), (1, 1, Cause.SAME_KERNEL, True)]
    assert not align(left, right).notes


def test_its_output_shape_proves_the_fusion():
    turned = [1, 16, 8, 16]
    left = plan(product("a/Conv", "x", S1), small("Tran", S1, S2, turned), product("b/Conv", S2, "y"))
    right = plan(product("a/Conv", "x", S1, turned), product("b/Conv", S1, "y"))
    assert causes(left, right)[0] == (2, 1, Cause.FUSION, True)


def test_names_with_all_work_prove_the_removal():
    left = plan(small("Add", "x", S1), product("a/Conv", S1, S2), small("MulSigm", S2, "y"))
    right = plan(small("Add", "x", S1), product("a/Conv", S1, S2), small("MulSigm", S2, "y"))
    assert {cause for _, _, cause, _ in causes(left, right)} == {Cause.SAME_KERNEL}
