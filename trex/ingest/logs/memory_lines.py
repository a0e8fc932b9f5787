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
_BYTES = re.compile(rf"({'|'.join(_NAMES)}) Memory: ([0-9]{{1,18}})(?: bytes)?$", re.ASCII)
_STRATEGY = re.compile(r"Building graph using backend strategy ([0-9]{1,9})$", re.ASCII)
_CHOSEN = re.compile(
    r"(?:Use backend strategy ([0-9]{1,9}) with|Chose this engine with backend strategy ([0-9]{1,9}) since)", re.ASCII
)

_CONTEXT = re.compile(
    r"Created execution context with device memory size: ([0-9]{1,12}(?:\.[0-9]{1,9})?) MiB$", re.ASCII
)

MEMORY_STARTS = ("Total ", "Max Scratch", "Building graph", "Use backend", "Chose this engine", "Created execution")
"""First words of all these messages."""


class MemoryLines:
    """Takes the messages in order; ``bytes`` is the memory of the final engine.

    A builder of TensorRT 10 may build an engine with each of several backend strategies; only the chosen one counts.
    The last message of a kind wins: TensorRT 8.4 prints the activations before and after assigning them to shared
    blocks.
    """

    def __init__(self) -> None:
        self._by_strategy: dict[str, dict[str, int]] = {}
        self._strategy = self._chosen = ""
        self._context: dict[str, int] = {}

    def add(self, message: str) -> None:
        if not message.startswith(MEMORY_STARTS):
            return
        if match := _BYTES.match(message):
            self._by_strategy.setdefault(self._strategy, {})[_NAMES[match[1]]] = int(match[2])
        elif match := _STRATEGY.match(message):
            self._strategy = match[1]
            self._by_strategy.pop(match[1], None)
        elif match := _CHOSEN.match(message):
            self._chosen = match[1] or match[2]
        elif match := _CONTEXT.match(message):
            self._context["context_bytes"] = round(float(match[1]) * 2**20)

    @property
    def bytes(self) -> dict[str, int]:
        """{``activation_bytes``, ``scratch_bytes``, ``weights_bytes``, ``device_persistent_bytes``,
        ``host_persistent_bytes``, ``context_bytes``: bytes}, without unknown ones. Scratch is that of the largest layer
        (TensorRT 8: of all layers); the context is trtexec's, in MiB of six digits.
        """
        memory = self._by_strategy
        return {**(memory.get(self._chosen) or memory.get(self._strategy, {})), **self._context}
