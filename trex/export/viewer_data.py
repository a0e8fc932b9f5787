"""Scene and graph → the viewer's data: columns of numbers, tables of strings, nothing said twice."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from trex.core.layer import Layer
from trex.core.provenance import Provenance, rtx_release
from trex.core.tensor import Tensor
from trex.export.escape import BIDI
from trex.export.frame import plain_value
from trex.export.graph_facts import finite, hex_color
from trex.export.viewer_columns import Strings, column, differences, front_coded, ragged, runs
from trex.export.viewer_members import members_data
from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.coloring import COLORINGS, Coloring
from trex.views.diagram.colors import wire_color
from trex.views.diagram.explanations import explanation, is_reformat, reformat_reason
from trex.views.diagram.labels import tensor_words
from trex.views.diagram.scene import Scene
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS

# What the panel says in its own rows, or what is too large to be said again.
_SAID_ELSEWHERE = frozenset(("Name", "Inputs", "Outputs", "Metadata", "TacticName", "StreamId", "LayerType"))
_LONGEST_ATTRIBUTE = 200
_MOST_ATTRIBUTES = 60
_MOST_ORIGINS = 200
_ROLES = ("name", "reason", "origin")
# What ends a script element, or a line where JavaScript is read as HTML; what steers a terminal, or no encoding writes.
_UNSAFE = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_REORDERS = re.compile(f"[{BIDI}]")


def viewer_json(
    scene: Scene, graph: PlanGraph, total_ms: float | None, more: Mapping[str, Coloring] | None = None
) -> str:
    """The data as JSON that nothing in it can end: ``<`` is written as an escape. What would reorder text is U+FFFD."""
    text = _json(viewer_data(scene, graph, total_ms, more))  # the data is not held while its text is copied
    text = _REORDERS.sub("\ufffd", text)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _json(data: dict[str, Any]) -> str:
    import orjson

    try:
        return orjson.dumps(data).decode()
    except TypeError:  # half a surrogate pair, a number beyond 64 bits
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def viewer_data(
    scene: Scene, graph: PlanGraph, total_ms: float | None, more: Mapping[str, Coloring] | None = None
) -> dict[str, Any]:
    """total_ms: what the shares of time are parts of, None when nothing was measured.

    more: colorings apart from those of the registry, of more than one plan; the page begins with the first.
    """
    return _Collector(scene, graph, total_ms).collect(more or {})


class _Collector:
    def __init__(self, scene: Scene, graph: PlanGraph, total_ms: float | None) -> None:
        self.scene, self.graph, self.total_ms = scene, graph, total_ms
        self.strings = Strings()
        self.tensor_number: dict[tuple[str, str, int | None], int] = {}
        self.tensor_names = self.strings.column()
        self.tensor_words = self.strings.column()
        self.tensor_sizes: list[int | None] = []
        self.tensor_precisions: list[str] = []
        self.wire_colors: dict[str, str] = {}
        self.attribute_sets: dict[tuple[tuple[str, str], ...], int] = {}
        self.nodes = tuple(graph.layer_nodes)
        self.every_layer = [layer for node in self.nodes for layer in (node.layer, *node.layers)]
        self.place = {node.id: i for i, node in enumerate(self.nodes)}

    def collect(self, more: Mapping[str, Coloring]) -> dict[str, Any]:
        layers, boxes, wires = self._layers(), self._boxes(), self._wires()
        frames = self._frames()
        precisions = sorted({*(layer.precision for layer in self.every_layer), *self.tensor_precisions})
        layers["precision"] = column([precisions.index(node.layer.precision) for node in self.nodes])
        number = {precision: i for i, precision in enumerate(precisions)}
        members = members_data(self.nodes, self.scene.style.latency_ms, self.strings, self.type_number, number)
        attributes = self._attributes()
        strings = self.strings.settle()
        return {
            "format": 1,
            "title": plain_value(self.scene.title),
            "facts": [plain_value(fact) for fact in self.scene.facts],
            "statement": self._statement(),
            "width": math.ceil(self.scene.width),
            "height": math.ceil(self.scene.height),
            "totalMs": finite(self.total_ms),
            "dashes": [
                plain_value(entry.text)
                for group in self.scene.legend
                for entry in group.entries
                if "dashed" in entry.shape
            ],
            "colorBy": next(iter(more), self.scene.style.color_by),
            "strings": strings,
            "types": self.types,
            "precisions": [
                [precision, hex_color(PRECISION_COLORS[precision]), self.wire_colors.get(precision, "#808080")]
                for precision in precisions
            ],
            "colorings": [
                self._coloring(name, coloring) for name, coloring in (*more.items(), *self._registered(more))
            ],
            "attributes": attributes,
            "tensors": {
                "name": self.tensor_names,
                "words": self.tensor_words,
                "size": column(self.tensor_sizes),
                "precision": column([number[precision] for precision in self.tensor_precisions]),
            },
            "layers": layers,
            "members": members,
            "boxes": boxes,
            "wires": wires,
            "frames": frames,
        }

    # ------------------------------------------------------------------------------------------------------ layers

    def _statement(self) -> str:
        facts = self.scene.facts
        kind = next((kind for kind in Provenance if kind.label in facts), Provenance.MEASURED)
        return kind.stated(next(filter(None, map(rtx_release, facts)), ""))

    def _layers(self) -> dict[str, Any]:
        strings = self.strings
        subtype, evidence, module, tactic = (strings.column() for _ in range(4))
        origins, words = strings.column(differences=True), strings.column()
        origin_counts, word_counts, inputs, outputs = [], [], [], []
        self.attribute_of: list[int] = []
        types = sorted({layer.type for layer in self.every_layer})
        number = self.type_number = {name: i for i, name in enumerate(types)}
        self.types = [[plain_value(name), hex_color(LAYER_COLORS[name])] for name in types]
        for node in self.nodes:
            layer = node.layer
            subtype.append(plain_value(layer.subtype))
            evidence.append(plain_value(layer.compute.evidence))
            module.append(plain_value(layer.module))
            tactic.append(plain_value(layer.tactic))
            origin_counts.append(len(layer.origins))
            origins.extend([plain_value(origin) for origin in layer.origins[:_MOST_ORIGINS]])
            why = [f"why: {plain_value(reason)}" for reason in reformat_reason(layer)] if is_reformat(layer) else []
            sentences = [*why, *(plain_value(sentence) for sentence in explanation(layer))]
            word_counts.append(len(sentences))
            words.extend(sentences)
            inputs.append([self._tensor(tensor) for tensor in layer.inputs])
            outputs.append([self._tensor(tensor) for tensor in layer.outputs])
            self.attribute_of.append(self._attribute_set(layer))
        times = [node.time for node in self.nodes]
        average = [finite(time.average_ms) if time else None for time in times]
        shown = [finite(node.ms(self.scene.style.latency_ms)) for node in self.nodes]
        return {
            "name": front_coded([plain_value(node.layer.name) for node in self.nodes]),
            "index": column(differences([node.layer.index for node in self.nodes])),
            "type": column([number[node.layer.type] for node in self.nodes]),
            "subtype": subtype,
            "evidence": evidence,
            "average": column(average),
            "median": column([finite(time.median_ms) if time else None for time in times]),
            # Nothing: the average.
            "shown": [] if shown == average else column(shown),
            "stream": column([node.layer.stream for node in self.nodes]),
            "module": module,
            "tactic": tactic,
            "stored": column([node.layer.weights_size_bytes for node in self.nodes]),
            "origins": {"count": column(origin_counts), "flat": origins, "most": _MOST_ORIGINS},
            "words": {"count": column(word_counts), "flat": words},
            "inputs": ragged(inputs),
            "outputs": ragged(outputs),
            "attributes": column(self.attribute_of),
        }

    def _registered(self, more: Mapping[str, Coloring]) -> Iterator[tuple[str, Coloring]]:
        """Colorings of the registry that apply to this graph, and the one that the style asks for."""
        for name, plug in COLORINGS.items():
            is_wanted = plug.value.tells_of(self.graph) or name == self.scene.style.color_by
            if is_wanted and name not in more:
                yield name, plug.value

    def _coloring(self, name: str, coloring: Coloring) -> dict[str, Any]:
        """Classes of layers as [color, words, rank] and the color on dark ground where it has one, the class of each,
        and whether the legend counts boxes.
        """
        paints = coloring.paint(self.graph, self.scene.style.latency_ms)
        number = {paint: i for i, paint in enumerate(dict.fromkeys(paints))}
        return {
            "name": name,
            "title": plain_value(coloring.titled(self.graph)),
            "ofBoxes": coloring.is_of_boxes,
            "classes": [
                [hex_color(paint.color), plain_value(paint.text), paint.rank, *([paint.dark] if paint.dark else [])]
                for paint in number
            ],
            "of": column([number[paint] for paint in paints]),
        }

    def _tensor(self, tensor: Tensor) -> int:
        words = plain_value(tensor_words(tensor))
        key = (tensor.name, words, tensor.size_bytes)
        number = self.tensor_number.get(key)
        if number is None:
            number = self.tensor_number[key] = len(self.tensor_number)
            self.tensor_names.append(plain_value(tensor.name))
            self.tensor_words.append(words)
            self.tensor_sizes.append(tensor.size_bytes)
            self.tensor_precisions.append(tensor.precision)
            self.wire_colors.setdefault(tensor.precision, hex_color(wire_color(tensor)))
        return number

    def _attribute_set(self, layer: Layer) -> int:
        shown = {
            key: value
            for key, value in layer.raw.items()
            if key not in _SAID_ELSEWHERE and value is not None and value != ""
        }
        pairs = []
        for key, value in islice(shown.items(), _MOST_ATTRIBUTES):
            text = value if isinstance(value, str) else json.dumps(plain_value(value), ensure_ascii=False)
            if len(text) > _LONGEST_ATTRIBUTE:
                text = f"{text[:_LONGEST_ATTRIBUTE]}…"
            pairs.append((plain_value(key), plain_value(text)))
        if len(shown) > _MOST_ATTRIBUTES:
            pairs.append(("…", f"{len(shown) - _MOST_ATTRIBUTES:,} more"))
        return self.attribute_sets.setdefault(tuple(pairs), len(self.attribute_sets))

    def _attributes(self) -> dict[str, Any]:
        flat = self.strings.column()
        for pairs in self.attribute_sets:
            flat.extend(text for pair in pairs for text in pair)
        return {"count": column([len(pairs) for pairs in self.attribute_sets]), "flat": flat}

    # ------------------------------------------------------------------------------------------------------- boxes

    def _boxes(self) -> dict[str, Any]:
        boxes = self.scene.boxes
        kinds, badges, tips, literals = (self.strings.column() for _ in range(4))
        counts: list[int] = []
        lines: list[int] = []
        for box in boxes:
            layer = self.place.get(box.node)
            name = plain_value(self.nodes[layer].layer.name) if layer is not None else ""
            kinds.append(plain_value(box.label.kind))
            # What the badge of one layer says follows from its time.
            is_single = layer is not None and self.nodes[layer].several is None
            badges.append("" if is_single else plain_value(box.label.badge))
            tips.append("" if is_single else plain_value(box.label.tooltip))
            counts.append(len(box.label.lines))
            at = 0
            for role, text in box.label.lines:
                line = plain_value(text)
                role_number = _ROLES.index(role) if role in _ROLES else 0
                start = name.find(line, at) if line else -1
                if start >= 0:
                    lines.extend((role_number + 4, start - at, len(line)))
                    at = start + len(line)
                else:
                    lines.append(role_number)
                    literals.append(line)
        return {
            "layer": column([self.place.get(box.node, -1) - i for i, box in enumerate(boxes)]),
            "memory": {str(i): box.kind for i, box in enumerate(boxes) if box.node not in self.place},
            "x": column(differences([round(box.x) for box in boxes])),
            "y": column(differences([round(box.y) for box in boxes])),
            "width": column([round(box.width) for box in boxes]),
            "height": column([round(box.height) for box in boxes]),
            "marked": [i for i, box in enumerate(boxes) if box.is_highlighted],
            "kind": kinds,
            "badge": badges,
            "tip": tips,
            "lines": {"count": column(counts), "flat": lines, "text": literals},
            "hasTimes": any(box.heat is not None for box in boxes),
            # -1 for none; nothing when there are no frames.
            "frame": runs(-1 if box.frame is None else box.frame for box in boxes) if self.scene.frames else [],
        }

    def _frames(self) -> dict[str, Any]:
        """The groups that open and close; parents as positions, -1 for a frame inside no other."""
        frames = self.scene.frames
        titles, kinds = self.strings.column(), self.strings.column()
        titles.extend([plain_value(frame.title) for frame in frames])
        kinds.extend([plain_value(frame.kind) for frame in frames])
        return {
            "title": titles,
            "kind": kinds,
            "x": [round(frame.x) for frame in frames],
            "y": [round(frame.y) for frame in frames],
            "width": [round(frame.width) for frame in frames],
            "height": [round(frame.height) for frame in frames],
            # From the frame's left border; 0 where it is unknown.
            "titleX": column([max(0, round(frame.title_x - frame.x)) if frame.title_x else 0 for frame in frames]),
            "parent": column([-1 if frame.parent is None else frame.parent for frame in frames]),
        }

    # ------------------------------------------------------------------------------------------------------- wires

    def _wires(self) -> dict[str, Any]:
        boxes = self.scene.boxes
        sources, targets, tensors, dashed, paths = [], [], [], [], []
        for i, wire in enumerate(self.scene.wires):
            sources.append(wire.source)
            targets.append(wire.source - wire.target)
            tensors.append(self._tensor(wire.tensor))
            if wire.is_dashed:
                dashed.append(i)
            box = boxes[wire.source]
            paths.extend(_path(wire.path, round(box.x), round(box.y)))
        texts = self.strings.column()
        captions: list[int] = []
        x, y = 0, 0
        for caption in self.scene.captions:
            texts.append(plain_value(caption.text))
            captions.extend((round(caption.x) - x, round(caption.y) - y, int(caption.is_left)))
            x, y = round(caption.x), round(caption.y)
        return {
            "source": column(differences(sources)),
            "target": column(targets),
            "tensor": column(differences(tensors)),
            "dashed": dashed,
            "path": paths,
            "caption": captions,
            "captionText": texts,
            # Only where boxes can vanish is it asked whose words they are.
            "captionBox": differences([caption.source for caption in self.scene.captions]) if self.scene.frames else [],
        }


def _path(path: Sequence[Sequence[float]], x: int, y: int) -> list[int]:
    """Start, number of segments, then each: 0 dy (a line straight down), 1 dx dy (a line), 2 and six (a curve)."""
    at_x, at_y = round(path[0][0]), round(path[0][1])
    numbers = [at_x - x, at_y - y, len(path) - 1]
    for segment in path[1:]:
        points = [round(value) for value in segment]
        if len(points) == 2:
            dx, dy = points[0] - at_x, points[1] - at_y
            numbers.extend((0, dy) if dx == 0 else (1, dx, dy))
        else:
            numbers.append(2)
            for i in (0, 2, 4):
                numbers.extend((points[i] - at_x, points[i + 1] - at_y))
        at_x, at_y = points[-2], points[-1]
    return numbers
