"""Messages of graph optimization → GraphEdits, layer counts, and ONNX nodes of layers.

TensorRT names the rule first (``Running: ConvReluFusion on Conv_0``), then what it did (``ConvReluFusion: Fusing Conv_0
with Relu_1``, ``Removing X``, ``Swap the layer type of X from A to B``); slices and concatenations are eliminated by
writing to the other tensor (``Retargeting A to B``), or copied (``Generating copy for A to B because of …``).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from trex.core.build_log import GraphEdit, LayerCount
from trex.ingest.build_log.position import Position

_RUNNING = re.compile(r"Running: (\S+) on (.*)", re.DOTALL)
_FUSING = re.compile(r"(\w+): [Ff]using (.*) with (.*)", re.DOTALL)
_FUSING_INTO = re.compile(r"(\w+): [Ff]using \(?(.*?)\)? into (.*)", re.DOTALL)
_TYPES = re.compile(r"(?:Swap the|Convert) layer type of (.*) from (\w+) to (\w+)", re.DOTALL)
_SWAPPING = re.compile(r"Swapping (.*) with (.*)", re.DOTALL)
_ELIMINATING = re.compile(r"Eliminating (slice|concatenation) (.*?)(?: by retargeting .*)?$", re.DOTALL)
_RETARGETING = re.compile(r"Retargeting (.*) to (.*)", re.DOTALL)
_COPY = re.compile(r"Generating copy for (.*) to (.*?)(?: because (.*))?$", re.DOTALL)
_REFORMAT = "Adding reformat layer: "
_FROM_TO = re.compile(r"(\S+(?: where .*)?) to (\S+(?: where .*)?)$", re.DOTALL)
_COUNT = re.compile(r"(Original|After [A-Za-z][A-Za-z -]{1,60}): (\d{1,9}) layers?$")
_REGISTERED = re.compile(r"Registering layer: (.*) for ONNX node: (.*)", re.DOTALL)
_MOST_NODES = 200_000

ORIGINAL = "Original"
"""The step of a LayerCount before any optimization."""

EDIT_WORDS = frozenset(
    (
        b"Runnin",
        b"Removi",
        b"Swap t",
        b"Conver",
        b"Swappi",
        b"Elimin",
        b"Retarg",
        b"Genera",
        b"Adding",
        b"Origin",
        b"After ",
        b"Regist",
    )
)
"""First six bytes of what ``read`` understands, apart from fusions."""


class GraphEdits:
    """Takes messages in order."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self.edits: list[GraphEdit] = []
        self.counts: list[LayerCount] = []
        self.nodes: dict[str, str] = {}
        self._rule = ""
        self._readers: dict[str, Callable[[str], None]] = {
            "Runnin": self._running,
            "Removi": self._removing,
            "Swap t": self._types,
            "Conver": self._types,
            "Swappi": self._swapping,
            "Elimin": self._eliminating,
            "Retarg": self._retargeting,
            "Genera": self._copying,
            "Adding": self._reformat,
            "Origin": self._count,
            "After ": self._count,
            "Regist": self._registered,
        }

    def forget(self) -> None:
        """Drops all rows but that of the network as it was imported."""
        self.edits.clear()
        self.nodes.clear()
        self.counts[:] = [count for count in self.counts if count.step == ORIGINAL][-1:]

    def read(self, text: bytes) -> None:
        words = text.decode("utf-8", "replace").rstrip()
        reader = self._readers.get(words[:6])
        if reader is not None:
            reader(words)

    def fusion(self, text: bytes) -> bool:
        """``RULE: Fusing A with B``, ``RULE: fusing (A and B) into C``; False for other messages."""
        words = text.decode("utf-8", "replace").rstrip()
        if (fused := _FUSING.match(words)) is not None:
            self._add("fused", fused[1], fused[2], fused[3])
        elif (fused := _FUSING_INTO.match(words)) is not None:
            self._add("fused", fused[1], fused[3], fused[2])
        return fused is not None

    def _add(self, kind: str, rule: str, layer: str, other: str = "") -> None:
        self.edits.append(GraphEdit(*self._position.at, kind, rule, layer, other, self._position.line))

    def _running(self, words: str) -> None:
        running = _RUNNING.match(words)
        self._rule = running[1] if running else ""

    def _removing(self, words: str) -> None:
        self._add("removed", self._rule, words[len("Removing ") :])

    def _types(self, words: str) -> None:
        if (types := _TYPES.match(words)) is not None:
            self._add("converted", self._rule, types[1], f"{types[2]} → {types[3]}")

    def _swapping(self, words: str) -> None:
        if (swapped := _SWAPPING.match(words)) is not None:
            self._add("swapped", self._rule, swapped[1], swapped[2])

    def _eliminating(self, words: str) -> None:
        if (eliminated := _ELIMINATING.match(words)) is not None:
            self._add("removed", f"{eliminated[1]} removal", eliminated[2])

    def _retargeting(self, words: str) -> None:
        if (retargeted := _RETARGETING.match(words)) is not None:
            self._add("retargeted", self._rule, retargeted[1], retargeted[2])

    def _copying(self, words: str) -> None:
        if (copied := _COPY.match(words)) is not None:
            self._add("copied", copied[3] or "", copied[1], copied[2])

    def _reformat(self, words: str) -> None:
        head, _, types = words.rpartition(" from ")  # not by the pattern: a line may have thousands of them
        if head.startswith(_REFORMAT) and (known := _FROM_TO.match(types)) is not None:
            self._add("reformat", "", head.removeprefix(_REFORMAT), f"{known[1]} → {known[2]}")

    def _count(self, words: str) -> None:
        if (count := _COUNT.match(words)) is not None:
            self.counts.append(LayerCount(*self._position.at, count[1], int(count[2]), self._position.line))

    def _registered(self, words: str) -> None:
        registered = _REGISTERED.match(words)
        if registered and registered[1] != registered[2] and len(self.nodes) < _MOST_NODES:
            self.nodes[registered[1]] = registered[2]
