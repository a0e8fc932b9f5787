"""The stand-alone collector: one file that builds, inspects and measures where there is no trex.

Copy it to a Jetson or a closed server and run it there: python collect.py model.onnx outdir --shapes x:1x3x224x224
--fp16, or python collect.py model.engine outdir. It needs Python 3.8 or later and TensorRT 8.5 to 11; python collect.py
--help shows its options. Every other command reads what it writes.

examples:
  trex collector -o collect.py
  trex summary outdir
"""

from __future__ import annotations

from trex import __version__
from trex.cli.command import DONE, Command
from trex.cli.output import DocumentOptions, say_written, write_output
from trex.views.document import Document, Section


def run(options: DocumentOptions) -> Document | int:
    from trex.capture.collector import collector_source

    source = collector_source(__version__)
    if options.format or options.json:
        section = Section("collector", data={"version": __version__, "source": source})
        return Document("collector", "collect.py", sections=(section,))
    say_written(write_output(options.output, source))
    return DONE


COMMAND = Command(DocumentOptions, run, checks_output=False)
