"""Sameness: steps that compute the same of the same, found by what they do and read; stored scalars count by value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from trex.core.model import Model
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor

# A dequantizer is fused with the step that reads it, so that every reader keeps its own.
_ALONE = frozenset({StepKind.DEQUANTIZE, StepKind.OPAQUE, StepKind.REGION, StepKind.REFORMAT})
_RANDOM = frozenset({"Dropout"})


def stored_key(model: Model, name: str) -> Hashable:
    """Equal for two stored values that are known to hold the same numbers; else the name."""
    value = model.value(name)
    if value is None or value.numbers is None:
        return name
    return (value.data_type, value.shape, value.numbers)


def step_key(model: Model, step: BuildStep) -> Hashable | None:
    """Equal for steps that compute the same; None for those that cannot be compared."""
    main = step.main
    if main is None or step.kind in _ALONE or len(step.operators) != 1 or main.type in _RANDOM or main.subgraphs:
        return None
    stored = set(step.constants)
    # Which input stands where: a pass may have let the step read others than its operator names.
    places: dict[str, int] = {}
    reads = [
        stored_key(model, name) if name in stored or not name else places.setdefault(name, len(places))
        for name in main.inputs
    ]
    attributes = tuple(sorted((name, repr(value)) for name, value in main.attributes.items()))
    return (main.qualified_type, tuple(reads), step.inputs, attributes, len(step.outputs))


def merge_duplicates(editor: DraftEditor, numbers: Iterable[int], model: Model) -> list[tuple[int, BuildStep]]:
    """Lets those who read a later one of two same steps read the earlier one, and takes the later out.

    Returns (the one that stays, the one that went), in order. What the caller gets is written by its own step.
    """
    first: dict[Hashable, int] = {}
    gone: list[tuple[int, BuildStep]] = []
    for number in numbers:
        step = editor[number]
        key = step_key(model, step)
        if key is None:
            continue
        kept = first.setdefault(key, number)
        if kept == number or any(map(editor.is_result, step.outputs)):
            continue
        editor.remove(number)
        for old, new in zip(step.outputs, editor[kept].outputs, strict=True):
            for reader in editor.readers(old):
                editor.rename_input(reader, old, new)
        gone.append((kept, step))
    return gone
