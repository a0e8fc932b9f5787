"""Lines of a build or a load in which TensorRT tells how much memory the engine takes → bytes by what they are for."""

from __future__ import annotations

import re

_BYTES = re.compile(
    r"(Total Activation|Max Scratch|Total Scratch|Total Weights|Total Device Persistent|Total Host Persistent)"
    r" Memory: ([0-9]{1,18})(?: bytes)?$",
    re.ASCII,
)
_NAMES = {
    "Total Activation": "activation_bytes",
    "Max Scratch": "scratch_bytes",
    "Total Scratch": "scratch_bytes",
    "Total Weights": "weights_bytes",
    "Total Device Persistent": "device_persistent_bytes",
    "Total Host Persistent": "host_persistent_bytes",
}
_STRATEGY = re.compile(r"Building graph using backend strategy ([0-9]{1,9})$", re.ASCII)
_CHOSEN = re.compile(
    r"(?:Use backend strategy ([0-9]{1,9}) with|Chose this engine with backend strategy ([0-9]{1,9}) since)", re.ASCII
)

_CONTEXT = re.compile(
    r"Created execution context with device memory size: ([0-9]{1,12}(?:\.[0-9]{1,9})?) MiB$", re.ASCII
)

MEMORY_STARTS = ("Total ", "Max Scratch", "Building graph", "Use backend", "Chose this engine", "Created execution")
"""How all these messages begin."""


class MemoryLines:
    """Takes the messages in order; ``bytes`` is what they told of the engine that was kept.

    A builder of TensorRT 10 may make an engine with each of several backend strategies, and tells of each; the one
    that it says it chose counts. Of what is told twice, the later counts: TensorRT 8.4 prints the activations before
    and after it has assigned them to blocks that they share.
    """

    def __init__(self) -> None:
        self._told: dict[str, dict[str, int]] = {}
        self._strategy = self._chosen = ""
        self._context: dict[str, int] = {}

    def add(self, message: str) -> None:
        if not message.startswith(MEMORY_STARTS):
            return
        if found := _BYTES.match(message):
            self._told.setdefault(self._strategy, {})[_NAMES[found[1]]] = int(found[2])
        elif found := _STRATEGY.match(message):
            self._strategy = found[1]
            self._told.pop(found[1], None)
        elif found := _CHOSEN.match(message):
            self._chosen = found[1] or found[2]
        elif found := _CONTEXT.match(message):
            self._context["context_bytes"] = round(float(found[1]) * 2**20)

    @property
    def bytes(self) -> dict[str, int]:
        """{``activation_bytes``, ``scratch_bytes``, ``weights_bytes``, ``device_persistent_bytes``,
        ``host_persistent_bytes``, ``context_bytes``: bytes}, as far as told. Scratch is that of the layer that needs
        most (TensorRT 8: of all together); the context is what trtexec made to run the engine, in MiB of six digits.
        """
        return {**(self._told.get(self._chosen) or self._told.get(self._strategy, {})), **self._context}
