"""Memory lines in the log of a build or load → bytes by purpose."""

from __future__ import annotations

import re

_NAMES = {
    "Total Activation": "activation_bytes",
    "Max Scratch": "scratch_bytes",
    "Total Scratch": "scratch_bytes",
    "Total Weights": "weights_bytes",
    "Total Device Persistent": "device_persistent_bytes",
    "Total Host Persistent": "host_persistent_bytes",
}
_FIRST = "host_persistent_bytes"
"""Printed once per engine, before all others but the activations of TensorRT 8."""
_BYTES = re.compile(rf"({'|'.join(_NAMES)}) Memory: ([0-9]{{1,18}})(?: bytes)?$", re.ASCII)
_VERDICT = re.compile(r"(Use|Chose this engine with|Skip) backend strategy [0-9]{1,9} ?(?:with|since) ", re.ASCII)
_CONTEXT = re.compile(
    r"Created execution context with device memory size: ([0-9]{1,12}(?:\.[0-9]{1,9})?) MiB$", re.ASCII
)

_BEGIN, _END = "Building graph using backend strategy ", "Engine generation completed"
MEMORY_STARTS = (
    "Total ",
    "Max Scratch",
    _BEGIN,
    _END,
    "Use backend",
    "Chose this engine",
    "Skip b",
    "Created execution",
)
"""First words of all these messages."""


class MemoryLines:
    """Takes the messages in order; ``bytes`` is the memory of the final engine.

    A builder of TensorRT 10 may build an engine with each of several backend strategies; only the chosen one counts.
    Only a verbose log states the choice: without it, figures that are not the same for all engines are unknown. The
    last message of a kind wins: TensorRT 8.4 prints the activations before and after assigning them to shared blocks.
    """

    def __init__(self) -> None:
        self._engine: dict[str, int] = {}
        self._is_complete = self._is_rejected = False
        self._same: dict[str, int] | None = None
        self._chosen: dict[str, int] | None = None
        self._context: dict[str, int] = {}

    def add(self, message: str) -> None:
        if not message.startswith(MEMORY_STARTS):
            return
        if match := _BYTES.match(message):
            self._add_bytes(_NAMES[match[1]], int(match[2]))
        elif message.startswith(_BEGIN):
            self._begin()
        elif message.startswith(_END):
            self._is_complete = True
        elif match := _VERDICT.match(message):
            self._is_rejected = match[1] == "Skip"
            if not self._is_rejected:
                self._chosen = self._engine
        elif match := _CONTEXT.match(message):
            self._context["context_bytes"] = round(float(match[1]) * 2**20)

    def _add_bytes(self, name: str, size: int) -> None:
        is_another = name == _FIRST and self._engine.keys() > {_FIRST}  # not of a log whose lines are all doubled
        if self._is_complete or is_another:
            self._begin()
        self._engine[name] = size

    def _begin(self) -> None:
        """The engines before this one become those that it is compared with."""
        if self._engine:
            self._same = self._engine if self._same is None else _in_both(self._same, self._engine)
        self._engine = {}
        self._is_complete = self._is_rejected = False

    @property
    def bytes(self) -> dict[str, int]:
        """{``activation_bytes``, ``scratch_bytes``, ``weights_bytes``, ``device_persistent_bytes``,
        ``host_persistent_bytes``, ``context_bytes``: bytes}, without unknown ones. Scratch is that of the largest layer
        (TensorRT 8: of all layers); the context is trtexec's, in MiB of six digits.
        """
        return {**self._of_engine, **self._context}

    @property
    def is_of_several(self) -> bool:
        """Whether figures are left out because engines differ in them, and nothing states which was chosen."""
        return self._chosen is None and len(self._of_engine) < len({**(self._same or {}), **self._engine})

    @property
    def _of_engine(self) -> dict[str, int]:
        if self._chosen is not None:
            return self._chosen
        if self._is_rejected:
            return {}
        return self._engine if self._same is None else _in_both(self._same, self._engine)


def _in_both(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: size for name, size in one.items() if other.get(name) == size}
