"""The stand-alone collector: one file that builds, inspects and measures where there is no trex.

Copy it to a Jetson or a closed server and run it there: python collect.py model.onnx outdir --shapes x:1x3x224x224
--fp16, or python collect.py model.engine outdir. It needs Python 3.8 or later and TensorRT 8.5 to 11; python collect.py
--help tells the rest. What it writes into outdir is read by every other command.

examples:
  trex collector > collect.py
  trex summary outdir
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command


@dataclass(frozen=True)
class Options:
    pass


def run(_: Options) -> int:
    from trex import __version__
    from trex.capture.collector import collector_source
    from trex.cli import console

    console.write(collector_source(__version__))
    return 0


COMMAND = Command(Options, run)
