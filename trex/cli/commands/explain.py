"""A word explained: a column, a quirk, a layer type, a layer's name, or a TensorRT format.

examples:
  trex explain latency.pct_time
  trex explain Reformat
  trex explain profile-suffix
  trex explain "PWN(Sigmoid_12, Mul_13)"
  trex explain "Thirty-two wide channel vectorized row major Int8 format"
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    name: tuple[str, ...] = option(help="a column, quirk, layer type, layer name or format", many=True)
    json: bool = option(False, "print JSON (schema trex.explain/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.views.explanation import explain

    explanations = explain(" ".join(options.name))
    if options.json:
        console.show_json({"schema": "trex.explain/1", "explanations": [item.as_dict() for item in explanations]})
    else:
        for item in explanations:
            console.say(f"{item.subject} — {item.kind}")
            for line in item.text.splitlines():
                console.say(f"  {line}")
            console.say()
    return 0


COMMAND = Command(Options, run)
