"""Examples that come with the package: engines (example:NAME), and networks to write as ONNX. No GPU needed.

The engines are real builds by TensorRT for RTX on a CPU, with predicted times. The networks are public architectures
with the shapes and names of the usual exports. Weights hold no data by default (a small file, which trex reads and
TensorRT does not).

examples:
  trex examples
  trex summary example:transformer-fp16
  trex examples --model resnet18-qat -o resnet18-qat.onnx
  trex examples --model resnet18 --batch 32 --weights random
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from trex.cli import console
from trex.cli.command import DONE, Command
from trex.cli.inputs import load_plan
from trex.cli.output import OutputOptions, say_written, write_output
from trex.core.errors import TrexError
from trex.core.options import option
from trex.core.printable import shell_word
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class ExamplesOptions(OutputOptions):
    model: str = option("", "write the ONNX model of this network to --output (default: NAME.onnx)", metavar="NAME")
    batch: int = option(1, "batch size of the model; 0 leaves it symbolic")
    weights: str = option("none", "weights of the model", choices=("none", "random"))
    length: int = option(0, "tokens of a text (networks that read texts); 0 for the network's own")
    names: str = option("", "node names: Conv_0 (numbers) or /conv1/Conv (paths)", choices=("numbers", "paths"))


def run(options: ExamplesOptions) -> Document | int:
    if options.model:
        return _write(options)
    if (options.batch, options.weights, options.names, options.length) != (1, "none", "", 0):
        raise TrexError("--batch, --weights, --names and --length need a network", "name one: --model NAME")
    from trex.examples.network import network_names
    from trex.plan.loading import example_addresses
    from trex.views.examples import examples_document

    plans = ((address, load_plan(address)) for address in example_addresses())
    return examples_document(plans, network_names())


def _write(options: ExamplesOptions) -> int:
    from trex.examples.network import make_network

    if options.json or options.format or options.fields or options.limit >= 0:
        raise TrexError("a network is written as ONNX", "leave --json, --format, --fields and --limit out")
    model = make_network(
        options.model,
        options.batch or None,
        weights=options.weights,
        names=options.names,
        length=options.length,
    )
    file = options.output or f"{options.model}.onnx"
    if not options.output and os.path.lexists(file):
        raise TrexError(f"{file} exists", f"-o {shell_word(file)} replaces it; or name another file", file)
    say_written(write_output(file, model.SerializeToString()))
    if options.weights == "none":
        console.complain("the weights hold no data: trex reads such a model, TensorRT needs --weights random")
    return DONE


COMMAND = Command(ExamplesOptions, run, checks_output=False)
