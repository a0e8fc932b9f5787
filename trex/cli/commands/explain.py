"""Explain a word: rule, column, layer type, note, figure, quirk, format, kernel or layer name; or show a guide.

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
from trex.cli.output import OutputOptions
from trex.core.errors import TrexError
from trex.core.options import option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(OutputOptions):
    word: tuple[str, ...] = option((), "what to explain", many=True, positional=True)
    list: bool = option(False, "show every word that has an entry", flags=("-l",))


def run(options: ExplainOptions) -> Document:
    from trex.views.explanation import explain, explanations_document, index_document

    if options.list and options.word:
        raise TrexError("--list shows all words", "name a word, or --list")
    if options.list or not options.word:
        return index_document()
    return explanations_document(explain(" ".join(options.word)))


COMMAND = Command(ExplainOptions, run)
