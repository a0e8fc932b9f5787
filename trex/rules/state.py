"""State: one condition that an engine can be in, described in a sentence; the registry of states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.core.registry import Registry
from trex.rules.diagnosis_facts import DiagnosisFacts


@dataclass(frozen=True, slots=True)
class Description:
    """sentence: the state with its numbers. advice: the one thing to do; "" for the largest fix, if there is one.

    Both are without a full stop.
    """

    sentence: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """order: of the states that apply, the one with the lowest describes the engine. describe: facts → Description,
    None where the state does not apply; it may not raise, whatever the engine. is_healthy: nothing in the engine is
    worth a warning.
    """

    order: int
    describe: Callable[[DiagnosisFacts], Description | None]
    is_healthy: bool = False


STATES = Registry("trex.rules.states", "STATE", "states", kind=State)
