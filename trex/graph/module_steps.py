"""Steps of module paths, and the steps that several paths share."""

from __future__ import annotations

from collections.abc import Iterable

# Deeper modules are not distinguished.
MOST_STEPS = 24
Steps = tuple[str, ...]


def module_steps(module: str) -> Steps:
    """``/layer1/0`` → (``layer1``, ``0``)."""
    return tuple([step for step in module.split("/", 4 * MOST_STEPS) if step][:MOST_STEPS])


def shared_steps(paths: Iterable[Steps]) -> Steps:
    """The steps that all paths begin with; () without paths."""
    shared: Steps | None = None
    for path in paths:
        if shared is None:
            shared = path
        elif path[: len(shared)] != shared:
            same = next((i for i, (step, other) in enumerate(zip(shared, path)) if step != other), None)
            shared = shared[: min(len(shared), len(path)) if same is None else same]
        if not shared:
            break
    return shared or ()
