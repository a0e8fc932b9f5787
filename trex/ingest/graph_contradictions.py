"""Layers of a graph file → Notes where they contradict each other: repeated, lost, or those of two exports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from math import prod

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.printable import clipped
from trex.core.shape import Shape, shape_text, volume
from trex.core.tensor import Binding, Tensor
from trex.ingest.spelling.weights import is_cache_handle

UNCONNECTED = "layers-unconnected"
_HINT = "export the graph again: trtexec --loadEngine=MODEL.engine --exportLayerInfo=MODEL.graph.json"
_LONGEST = 80
_COPY = "Reformatting CopyNode"
_HOST = "Host"
_FEWEST_DIMENSIONS = 4
_WINDOWED = (("Convolution", "kEXPLICIT_ROUND_DOWN"), ("Pooling", "kEXPLICIT_ROUND_DOWN"))


def graph_contradictions(layers: Sequence[Layer], border: Sequence[Binding], where: str) -> Iterator[Note]:
    """border: the engine's inputs and outputs, empty if they are not known completely."""
    yield from _repeats(layers, where)
    if border and all("Inputs" in layer.raw or "Outputs" in layer.raw for layer in layers):
        yield from _unconnected(layers, border, where)
    yield from _two_exports(layers, where)
    yield from _contradict_themselves(layers, where)


def _repeats(layers: Sequence[Layer], where: str) -> Iterator[Note]:
    """Layers that are an earlier one to the last character; without tensors, only if half of the file is such."""
    first = {(layer.profile, layer.name): layer.raw for layer in layers if layer.occurrence == 0}
    repeats = [layer for layer in layers if layer.occurrence and layer.raw == first[layer.profile, layer.name]]
    if any(layer.outputs for layer in repeats) or len(repeats) * 2 >= max(len(layers), 1):
        words = f"{counted(len(repeats), 'layer is', 'layers are')} in the file again, to the last character"
        message = f"{words}, first {_name(repeats[0])}: each one counts"
        yield Note("layers-repeated", message, _HINT, where, "problem")


def _unconnected(layers: Sequence[Layer], border: Sequence[Binding], where: str) -> Iterator[Note]:
    """Layers that read nothing, though they have weights, or whose outputs nothing reads; tensors that are read and
    that nothing writes; outputs of the engine that nothing writes. What the host reads or writes is not known.
    """
    ends = {binding.name for binding in border}
    reads = {(layer.profile, one.name) for layer in layers for one in layer.inputs}
    written = {one.name for layer in layers for one in layer.outputs}
    lost = [layer for layer in layers if layer.lacks_inputs or _writes_nothing(layer, reads, ends)]
    unwritten = dict.fromkeys(
        one.name
        for layer in layers
        if not layer.is_host_copy
        for one in layer.inputs
        if one.name and one.name not in written and one.name not in ends
        if one.location != _HOST and not is_cache_handle(one.name)
    )
    outputs = [binding.name for binding in border if binding.is_input is False and binding.name not in written]
    words = []
    if lost:
        verb = "reads nothing, or is read by nothing" if len(lost) == 1 else "read nothing, or are read by nothing"
        words.append(f"{counted(len(lost), 'layer')} {verb}, first {_name(lost[0])}")
    for names, what, verb in (
        (list(unwritten), "tensor", "read that no layer writes"),
        (outputs, "output", "written by no layer"),
    ):
        if names and written:
            noun = counted(len(names), f"{what} is", f"{what}s are")
            words.append(f"{noun} {verb}, first {clipped(names[0], _LONGEST)!r}")
    if words:
        cause = "or their tensors" if lost or unwritten else "or the host computes it"
        message = f"{'; '.join(words)}: the file lacks layers, {cause}"
        yield Note(UNCONNECTED, message, _HINT, where)


def _writes_nothing(layer: Layer, reads: Collection[tuple[int, str]], ends: Collection[str]) -> bool:
    """reads: what layers of each profile read; constants may be listed once for all. ends: what the caller reads.

    Builders leave values in the engine that no layer needs any more: what reads nothing may be one.
    """
    if layer.is_host_copy or layer.role is Role.CONSTANT or not (layer.inputs or layer.raw.get("Constants")):
        return False
    if not layer.outputs:
        return layer.role is Role.KERNEL and bool(layer.inputs) and layer.raw.get("Outputs") == []
    return not any((layer.profile, one.name) in reads or one.name in ends for one in layer.outputs)


def _two_exports(layers: Sequence[Layer], where: str) -> Iterator[Note]:
    """Tensors that are written in another type or size than they are read, as where two exports of one model meet.

    A layer may read a part of a tensor, and several may write one, each a part of it. So what contradicts is to read
    more than is written; less of the batch alone is doubted, unless all that read it do so and read all of it.
    """
    written: defaultdict[tuple[int, str], list[Tensor]] = defaultdict(list)
    read: defaultdict[tuple[int, str], list[Tensor]] = defaultdict(list)
    for layer in layers:
        for tensor in layer.outputs:
            written[layer.profile, tensor.name].append(tensor)
        for tensor in layer.inputs:
            read[layer.profile, tensor.name].append(tensor)
    pairs = [(tensors, read[key]) for key, tensors in written.items() if key[1] and key in read]
    odd = [words for pair in pairs if (words := _other_tensors(*pair))]
    severity, cause = ("problem", "is damaged, or") if odd else ("warning", "may be")
    odd += [words for pair in pairs if (words := _parts_of_batch(*pair))]
    if odd:
        words = f"{counted(len(odd), 'tensor is', 'tensors are')} written in another size or type than read"
        message = f"{words}, first {odd[0]}: the file {cause} of two exports"
        yield Note("tensor-contradicts", message, _HINT, where, severity)


def _other_tensors(written: Sequence[Tensor], read: Sequence[Tensor]) -> str:
    """What is read and was not written, in words; "" if nothing, or if it is not known."""
    first = written[0]
    types = {tensor.data_type for tensor in (first, *read) if tensor.data_type.is_known}
    if len(types) > 1 and len(written) == 1:
        return f"{clipped(first.name, _LONGEST)!r} ({' and '.join(sorted(map(str, types))[:2])})"
    sizes, parts = ([volume(tensor.shape) or 0 for tensor in tensors] for tensors in (written, read))
    largest = max(parts)
    is_more = 0 not in sizes and largest > sum(sizes)
    return _in_words(first, read[parts.index(largest)]) if is_more else ""


def _parts_of_batch(written: Sequence[Tensor], read: Sequence[Tensor]) -> str:
    """A part of the batch that is read, in words; "" if there is none, or all of it is read in parts."""
    first, parts = written[0], [tensor for tensor in read if _is_part_of_batch(tensor, written[0])]
    sizes = [volume(tensor.shape) or 0 for tensor in (first, *parts)]
    is_all_read = len(parts) == len(read) and sum(sizes[1:]) >= sizes[0]
    return _in_words(first, parts[0]) if parts and len(written) == 1 and not is_all_read else ""


def _in_words(one: Tensor, other: Tensor) -> str:
    return f"{clipped(one.name, _LONGEST)!r} ({shape_text(one.shape)} and {shape_text(other.shape)})"


def _is_part_of_batch(part: Tensor, whole: Tensor) -> bool:
    """Whether it is smaller in the first dimension alone, of at least four: with an implicit batch it is that of the
    channels, and rows of a matrix are read one by one.
    """
    if part.shape is None or whole.shape is None or not _FEWEST_DIMENSIONS <= len(whole.shape) == len(part.shape):
        return False
    sizes = part.shape[0], whole.shape[0]
    return part.shape[1:] == whole.shape[1:] and sizes[0] is not None and sizes[1] is not None and sizes[0] < sizes[1]


def _contradict_themselves(layers: Sequence[Layer], where: str) -> Iterator[Note]:
    """Convolutions that store another number of weights than their kernel needs (equal in 605 of real engines),
    convolutions, poolings and copies that write another batch than they read, and those that write another size.
    """
    kinds = (
        (_stores_other_weights, "stores", "store", "another number of weights than kernel, channels and groups give"),
        (_changes_batch, "writes", "write", "another batch than is read"),
        (_writes_other_size, "writes", "write", "other dimensions than input, window, stride and padding give"),
    )
    for is_odd, verb, verbs, what in kinds:
        odd = [layer for layer in layers if is_odd(layer)]
        if odd:
            words = f"{counted(len(odd), f'layer {verb}', f'layers {verbs}')} {what}, first {_name(odd[0])}"
            message = f"{words}: the file is damaged, or of two exports"
            yield Note("layer-contradicts", message, _HINT, where, "problem")


def _stores_other_weights(layer: Layer) -> bool:
    """False where the record does not say."""
    kernel, stored = _window(layer), layer.raw.get("Weights")
    shape = layer.inputs[0].shape if layer.inputs else None
    if shape is None or not 0 < len(kernel) < len(shape) or not isinstance(stored, dict):
        return False
    facts = [stored.get("Count"), layer.raw.get("Groups"), layer.raw.get("OutMaps"), shape[-len(kernel) - 1], *kernel]
    numbers = [fact for fact in facts if type(fact) is int and fact > 0]
    return len(numbers) == len(facts) and numbers[0] * numbers[1] != prod(numbers[2:])


def _changes_batch(layer: Layer) -> bool:
    if len(layer.inputs) != 1 or len(layer.outputs) != 1:
        return False
    read, written = layer.inputs[0], layer.outputs[0]
    if layer.name.startswith(_COPY):
        return _is_part_of_batch(read, written) or _is_part_of_batch(written, read)
    behind = -len(_window(layer)) - 1
    shapes = [tensor.shape for tensor in (read, written)]
    if behind == -1 or any(shape is None or None in shape or len(shape) <= -behind for shape in shapes):
        return False
    batches = [shape[:behind] for shape in shapes if shape is not None]
    return batches[0] != batches[1]


def _writes_other_size(layer: Layer) -> bool:
    """False where the record does not say, and where the padding depends on the size.

    Of every dimension of the window, ⌊(size + padding − dilation · (window − 1) − 1) / stride⌋ + 1 is written, and of
    the channels OutMaps, or of a pooling what is read: so it is in all 632 of real engines.
    """
    kinds = layer.raw.get("ParameterType"), layer.raw.get("PaddingMode")
    if kinds not in _WINDOWED or "Deconvolution" in str(layer.raw.get("LayerType")) or not layer.outputs:
        return False
    rank, written = len(_window(layer)), layer.outputs[0].shape
    sizes = [tensor.shape for tensor in layer.inputs if tensor.shape is not None]
    if not sizes or written is None or not 0 < rank < len(written):
        return False
    maps = layer.raw.get("OutMaps")
    if len(layer.outputs) == 1 and type(maps) is int and written[-rank - 1] not in (None, maps):
        return True
    kept = -rank - 1 if kinds[0] == "Convolution" else -rank  # the batch, and the channels of a pooling
    return all(
        len(size) != len(written)
        or not _may_be_equal(size[:kept], written[:kept])
        or _has_other_steps(layer, size[-rank:], written[-rank:])
        for size in sizes
    )


def _may_be_equal(one: Shape, other: Shape) -> bool:
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def _has_other_steps(layer: Layer, read: Shape, written: Shape) -> bool:
    """Whether the window takes another number of steps through what is read, in one dimension at least."""
    window = _window(layer)
    dilation = layer.raw.get("Dilation", [1] * len(window))
    facts = [dilation, window, *(layer.raw.get(key) for key in ("PrePadding", "PostPadding", "Stride"))]
    if any(not isinstance(fact, list) or len(fact) != len(window) for fact in facts):
        return False
    for size, steps, factor, extent, before, after, stride in zip(read, written, *facts, strict=True):
        numbers = (size, steps, factor, extent, before, after, stride)
        is_known = all(type(number) is int and number >= 0 for number in numbers) and stride
        if is_known and steps != (size + before + after - factor * (extent - 1) - 1) // stride + 1:
            return True
    return False


def _window(layer: Layer) -> list[object]:
    window = layer.raw.get("Kernel") or layer.raw.get("WindowSize")
    return window if isinstance(window, list) else []


def _name(layer: Layer) -> str:
    return repr(clipped(layer.name, _LONGEST))
