"""The examples that come with the package: engines to use as example:NAME, networks to write as ONNX. No GPU needed.

The engines are simulated: predicted from public architectures, measured on no device. The networks are public
architectures written node by node, without a framework; shapes and names are those of the usual exports. Their weights
are described without data (a small file, which trex reads and TensorRT does not), or drawn at random.

examples:
  trex examples
  trex summary example:transformer-fp16
  trex examples --model resnet18-qat -o resnet18-qat.onnx
  trex examples --model resnet18 --batch 32 --weights random
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from trex.cli.command import Command
from trex.core.errors import TrexError
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    json: bool = option(False, "print JSON (schema trex.examples/1)")
    model: str = option("", "write the ONNX model of this network", metavar="NAME")
    output: str = option("", "file to write the model to (default: NAME.onnx, here)", flags=("-o",), metavar="FILE")
    batch: int = option(1, "images or sentences at once; 0 leaves the dimension symbolic")
    weights: str = option("none", "describe them only, or store random ones", choices=("none", "random"))
    names: str = option(
        "", "of nodes: Conv_0 as PyTorch before 1.13 exports them, or /conv1/Conv", choices=("numbers", "paths")
    )


def run(options: Options) -> int:
    if options.model:
        return _write(options)
    if replace(options, json=False) != Options():
        raise TrexError("nothing says which network to write", "name one: --model NAME; trex examples lists them")
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.examples.network import network_names
    from trex.export.text_table import table_lines
    from trex.plan.loading import example_addresses
    from trex.views.examples import SCHEMA, examples_table, networks_table

    engines = examples_table((address, load_plan(address)) for address in example_addresses())
    networks = networks_table(network_names())
    if options.json:
        console.show_json({"schema": SCHEMA, "examples": engines.records(), "models": networks.records()})
    else:
        console.show(table_lines(engines, console.width()))
        console.say()
        console.show(table_lines(networks, console.width()))
    return 0


def _write(options: Options) -> int:
    from trex.cli import console
    from trex.examples.network import write_network

    path = write_network(
        options.model,
        options.output or f"{options.model}.onnx",
        options.batch or None,
        weights=options.weights,
        names=options.names,
    )
    console.say(str(path))
    if options.weights == "none":
        console.complain("its weights are described without data: trex reads it, TensorRT wants --weights random")
    return 0


COMMAND = Command(Options, run)
