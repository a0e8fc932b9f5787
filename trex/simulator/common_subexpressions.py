"""Common subexpressions: steps that compute the same from the same inputs; stored scalars are compared by value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from trex.core.model import Model
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.draft_editor import DraftEditor

# A dequantizer is fused with its reader, so every reader keeps its own.
_ALONE = frozenset({StepKind.DEQUANTIZE, StepKind.OPAQUE, StepKind.REGION, StepKind.REFORMAT})
_RANDOM = frozenset({"Dropout"})


def stored_key(model: Model, name: str) -> Hashable:
    """Equal for two stored values of known equal numbers; else the name."""
    value = model.value(name)
    if value is None or value.numbers is None:
        return name
    return (value.data_type, value.shape, value.numbers)


def step_key(model: Model, step: BuildStep) -> Hashable | None:
    """Equal for steps that compute the same; None for steps that cannot be compared."""
    main = step.main
    if main is None or step.kind in _ALONE or len(step.operators) != 1 or main.type in _RANDOM or main.subgraphs:
        return None
    stored = set(step.constants)
    # Order of the inputs: a pass may have replaced inputs of the operator.
    numbers_of: dict[str, int] = {}
    reads = [
        stored_key(model, name) if name in stored or not name else numbers_of.setdefault(name, len(numbers_of))
        for name in main.inputs
    ]
    attributes = tuple(sorted((name, repr(value)) for name, value in main.attributes.items()))
    return (main.qualified_type, tuple(reads), step.inputs, attributes, len(step.outputs))


def merge_duplicates(editor: DraftEditor, numbers: Iterable[int], model: Model) -> list[tuple[int, BuildStep]]:
    """Removes the later of two equal steps; its readers read the earlier one.

    Returns (the kept one, the removed one), in order. A step that writes an output of the network stays.
    """
    first: dict[Hashable, int] = {}
    gone: list[tuple[int, BuildStep]] = []
    # Renamed when a reader's turn comes: a sum of 10,000 equal steps is renamed once.
    renamed: dict[str, str] = {}
    for number in numbers:
        editor.rename_inputs(number, renamed)
        step = editor[number]
        key = step_key(model, step)
        if key is None:
            continue
        kept = first.setdefault(key, number)
        if kept == number or any(map(editor.is_result, step.outputs)):
            continue
        editor.remove(number)
        renamed.update(zip(step.outputs, editor[kept].outputs, strict=True))
        gone.append((kept, step))
    for old in renamed:
        for reader in editor.readers(old):
            editor.rename_inputs(reader, renamed)
    return gone
