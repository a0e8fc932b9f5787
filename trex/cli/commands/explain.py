"""A word explained: a rule, column, layer type, note, measured figure, quirk, format, kernel, layer's name, or a guide.

examples:
  trex explain latency.pct_time
  trex explain Reformat
  trex explain names-only-engine
  trex explain INFO001
  trex explain GPU compute time
  trex explain "PWN(Sigmoid_12, Mul_13)"
  trex explain sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage3_warpsize2x2x1_tensor16x8x16
  trex explain "Thirty-two wide channel vectorized row major Int8 format"
  trex explain capture-torch
  trex explain --list
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    word: tuple[str, ...] = option((), "what to explain", many=True, positional=True)
    list: bool = option(False, "show every word that has an entry of its own", flags=("-l",))
    json: bool = option(False, "print JSON (schema trex.explain/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.export.text import explanation_lines, index_lines
    from trex.views.explanation import SCHEMA, explain, index

    if options.list or not options.word:
        if options.json:
            console.show_json({"schema": SCHEMA, "words": index()})
        else:
            console.show(index_lines(index(), console.width()))
        return 0
    explanations = explain(" ".join(options.word))
    if options.json:
        console.show_json({"schema": SCHEMA, "explanations": [item.as_dict() for item in explanations]})
    else:
        console.show(explanation_lines(explanations, console.width()))
    return 0


COMMAND = Command(Options, run)
