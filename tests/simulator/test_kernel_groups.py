"""Groups of steps that never wait for themselves."""

from __future__ import annotations

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import network
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.kernel_groups import KernelGroups

# a is read by b and c; d reads both
_DIAMOND = "a = Relu x\n b = Tanh a\n c = Sigmoid a\n d = Add b c"


def groups() -> KernelGroups:
    return KernelGroups(DraftEditor(initial_draft(network(_DIAMOND, "d"), target()), "test"))


def test_a_third_group_between_two_keeps_them_apart() -> None:
    kernels = groups()
    assert kernels.can_join(0, 1) and not kernels.can_join(0, 3) and not kernels.can_join(2, 2)
    kernels.join(0, 1)
    assert kernels.can_join(0, 2) and not kernels.can_join(0, 3)
    kernels.join(0, 2)
    assert kernels.can_join(0, 3)
    assert kernels.members(0) == [0, 1, 2]
    assert [kernels.group_of(number) for number in range(4)] == [0, 0, 0, 3]


def test_what_depends_on_what() -> None:
    kernels = groups()
    assert kernels.depends(3, on=0) and kernels.depends(1, on=0)
    assert not kernels.depends(0, on=3) and not kernels.depends(1, on=2)


def test_a_step_changes_its_group_and_a_group_dissolves() -> None:
    kernels = groups()
    kernels.join(0, 1)
    kernels.take(1, 3)
    assert (kernels.members(0), kernels.members(3)) == ([0], [1, 3])
    kernels.take(0, 3)
    assert kernels.members(0) == [] and sorted(kernels) == [2, 3]
    kernels.dissolve(3)
    assert len(list(kernels)) == 4 and len({kernels.group_of(number) for number in range(4)}) == 4


def test_groups_stay_apart_where_a_search_would_not_end() -> None:
    row = "\n".join(f"a{i} = Relu {f'a{i - 1}' if i else 'x'}" for i in range(600))
    editor = DraftEditor(initial_draft(network(f"b = Tanh x\n{row}\n c = Add a599 x", "b c"), target()), "test")
    kernels = KernelGroups(editor)
    assert kernels.can_join(0, 100)
    assert not kernels.can_join(0, 601)


def test_a_search_through_a_mesh_looks_at_few_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step reads all before it."""
    mesh = "\n".join(f"m{i} = Sum x{''.join(f' m{j}' for j in range(i))}" for i in range(200))
    editor = DraftEditor(initial_draft(network(f"b = Tanh x\n{mesh}\n c = Add m199 b", "c"), target()), "test")
    looks: list[str] = []
    writer = editor.writer

    def counted(name: str) -> int | None:
        looks.append(name)
        return writer(name)

    monkeypatch.setattr(editor, "writer", counted)
    KernelGroups(editor).can_join(0, 201)
    assert 0 < len(looks) < 4000
