"""ONNX file → network definition, with the parser's errors as sentences."""

from __future__ import annotations

import time
from typing import Any

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.library import Library

_MAX_ERRORS = 10
_PLACEHOLDER_RANGE = 4.0


class ImportedNetwork:
    """parser: kept because it owns the network's weights."""

    def __init__(self, network: Any, parser: Any) -> None:
        self.network = network
        self.parser = parser


def import_model(library: Library, builder: Any, options: CollectorOptions, path: str) -> ImportedNetwork:
    """Raises CollectorError with the parser's error if the model cannot be read."""
    library.log.info("Start parsing network model.")
    start = time.monotonic()
    network = builder.create_network(_creation_flags(library, options))
    parser = library.create("OnnxParser", network, library.logger)
    if not parser.parse_from_file(path):  # from the file, so that external weights are found
        errors = [error_sentence(parser.get_error(index)) for index in range(parser.num_errors)]
        for sentence in errors[:_MAX_ERRORS]:
            library.log.error(sentence)
        more = " (and %d more)" % (len(errors) - 1) if len(errors) > 1 else ""
        reason = errors[0] if errors else library.log.reason or "the parser gives no reason"
        raise CollectorError(
            f"the model cannot be imported: {reason}{more}",
            "check the file with onnx.checker; an operator that TensorRT lacks needs a plugin (--plugins)",
            FAILED,
        )
    library.log.info("Finished parsing network model. Parse time: %g" % (time.monotonic() - start))
    return ImportedNetwork(network, parser)


def error_sentence(error: Any) -> str:
    """``in node 12 (Conv "conv1"): …``."""
    description = " ".join(str(error.desc()).split()).rstrip(".") or "no description"
    kind, name = _node_fact(error, "node_operator"), _node_fact(error, "node_name")
    number = error.node()
    where = "node %d" % number if isinstance(number, int) and number >= 0 else "the model"
    node = " ".join(part for part in (kind, f'"{name}"' if name else "") if part)
    return "in {}{}: {}".format(where, f" ({node})" if node else "", description)


def _node_fact(error: Any, method: str) -> str:
    """Errors name their node since 10.0."""
    function = getattr(error, method, None)
    return str(function() or "") if function is not None else ""


def _creation_flags(library: Library, options: CollectorOptions) -> int:
    flags = library.trt.NetworkDefinitionCreationFlag
    bits = 0
    if library.release[0] < 10:  # earlier the default is an implicit batch
        bits |= 1 << int(flags.EXPLICIT_BATCH)
    if options.has("stronglyTyped") and library.release[0] < 11:
        if not hasattr(flags, "STRONGLY_TYPED"):
            raise CollectorError(f"TensorRT {library.version} has no strongly typed networks", "they came with 9.0")
        bits |= 1 << int(flags.STRONGLY_TYPED)
    return bits


def set_placeholder_ranges(library: Library, network: Any) -> None:
    """For INT8 without Q/DQ and calibration, as in trtexec: fine for speed, meaningless for results."""
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    if any(layer.type == library.trt.LayerType.QUANTIZE for layer in layers):
        return
    library.log.warning(
        "the model has no Q/DQ nodes: INT8 gets placeholder ranges, so that speed can be measured; results mean nothing"
    )
    tensors: list[Any] = [network.get_input(index) for index in range(network.num_inputs)]
    tensors += [layer.get_output(index) for layer in layers for index in range(layer.num_outputs)]
    for tensor in tensors:
        if hasattr(tensor, "set_dynamic_range") and getattr(tensor, "dynamic_range", None) is None:
            tensor.set_dynamic_range(-_PLACEHOLDER_RANGE, _PLACEHOLDER_RANGE)
