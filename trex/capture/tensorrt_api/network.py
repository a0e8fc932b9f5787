"""ONNX file → network definition, with the parser's complaints in a sentence each."""

from __future__ import annotations

import time
from typing import Any

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.library import Library

_MOST_ERRORS = 10
_PLACEHOLDER_RANGE = 4.0


class Import:
    """network: the definition. parser: kept, since the network's weights are its own."""

    def __init__(self, network: Any, parser: Any) -> None:
        self.network = network
        self.parser = parser


def import_model(library: Library, builder: Any, job: Job, path: str) -> Import:
    """Raises Fault with what the parser says when the model cannot be read."""
    library.log.info("Start parsing network model.")
    begun = time.monotonic()
    network = builder.create_network(_creation_flags(library, job))
    parser = library.made("OnnxParser", network, library.logger)
    if not parser.parse_from_file(path):  # from the file, so that weights beside it are found
        errors = [error_sentence(parser.get_error(index)) for index in range(parser.num_errors)]
        for sentence in errors[:_MOST_ERRORS]:
            library.log.error(sentence)
        more = " (and %d more)" % (len(errors) - 1) if len(errors) > 1 else ""
        said = errors[0] if errors else library.log.reason or "the parser does not say why"
        raise Fault(
            f"the model cannot be imported: {said}{more}",
            "check the file with onnx.checker; an operator that TensorRT lacks needs a plugin (--plugins)",
            FAILED,
        )
    library.log.info("Finished parsing network model. Parse time: %g" % (time.monotonic() - begun))
    return Import(network, parser)


def error_sentence(error: Any) -> str:
    """``In node 12 (Conv "conv1"): …``: one line of what a parser's error tells."""
    description = " ".join(str(error.desc()).split()).rstrip(".") or "no description"
    kind, name = _node_fact(error, "node_operator"), _node_fact(error, "node_name")
    number = error.node()
    place = "node %d" % number if isinstance(number, int) and number >= 0 else "the model"
    about = " ".join(part for part in (kind, f'"{name}"' if name else "") if part)
    return "in {}{}: {}".format(place, f" ({about})" if about else "", description)


def _node_fact(error: Any, what: str) -> str:
    """Since 10.0 errors name their node."""
    asked = getattr(error, what, None)
    return str(asked() or "") if asked is not None else ""


def _creation_flags(library: Library, job: Job) -> int:
    flags = library.trt.NetworkDefinitionCreationFlag
    bits = 0
    if library.release[0] < 10:  # implicit batches were the default until then
        bits |= 1 << int(flags.EXPLICIT_BATCH)
    if job.has("stronglyTyped") and library.release[0] < 11:
        if not hasattr(flags, "STRONGLY_TYPED"):
            raise Fault(f"TensorRT {library.version} has no strongly typed networks", "they came with 9.0")
        bits |= 1 << int(flags.STRONGLY_TYPED)
    return bits


def set_placeholder_ranges(library: Library, network: Any) -> None:
    """For INT8 without Q/DQ and calibration, as trtexec does: right for speed, meaningless for results."""
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    if any(layer.type == library.trt.LayerType.QUANTIZE for layer in layers):
        return
    library.log.warning(
        "the model has no Q/DQ nodes: INT8 gets made-up ranges, so that speed can be measured; results mean nothing"
    )
    tensors: list[Any] = [network.get_input(index) for index in range(network.num_inputs)]
    tensors += [layer.get_output(index) for layer in layers for index in range(layer.num_outputs)]
    for tensor in tensors:
        if hasattr(tensor, "set_dynamic_range") and getattr(tensor, "dynamic_range", None) is None:
            tensor.set_dynamic_range(-_PLACEHOLDER_RANGE, _PLACEHOLDER_RANGE)
