"""GPUs and their peaks: all of them, one with the source of every figure, or this machine's GPU, measured.

NAME is a device's name or alias, or a device file. Peaks are dense, in 10¹² operations/s (one MAC is two), GB/s are 10⁹
bytes/s; FP16 and FP8 accumulate in FP32. Certainty, from the highest: measured, reported (by an engine's files),
datasheet, page (publications of others), derived, unverified.

`trex devices measure` measures copy bandwidth and GEMM rates on this machine's GPU. Device files in
~/.config/trex/devices ($XDG_CONFIG_HOME/trex/devices, or the folders of $TREX_DEVICES) are found by their names.

examples:
  trex devices
  trex devices L4
  trex devices "RTX 4090" --save mine.json
  trex devices measure --save ~/.config/trex/devices/this-gpu.json
  trex perf out/ --device mine.json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli import console
from trex.cli.command import Command
from trex.cli.output import OutputOptions, write_output
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.views.document import Document

MEASURE = "measure"


@dataclass(frozen=True, kw_only=True)
class DevicesOptions(OutputOptions):
    name: str = option("", "a device, a device file, or measure; none: all devices", positional=True)
    save: str = option("", "write the device file that --device takes", metavar="FILE")
    dev: int = option(0, "which GPU to measure, in CUDA's numbering", metavar="N", convert=count)


def run(options: DevicesOptions) -> Document:
    from trex.capture.ceilings import measure_device
    from trex.perf.device_file import device_text
    from trex.perf.known_devices import find_device, known_devices, user_folders
    from trex.views.devices import devices_document, one_device_document

    if options.dev and options.name != MEASURE:
        raise TrexError("--dev is for measuring", "trex devices measure --dev N")
    if not options.name:
        if options.save:
            raise TrexError("--save needs one device", "trex devices L4 --save mine.json")
        listed, notes = known_devices()
        return devices_document(listed, notes, str(user_folders()[-1]))
    if options.name == MEASURE:
        with console.patience("measuring"):
            device = measure_device(options.dev)
    else:
        device = find_device(options.name)
    if options.save and (file := write_output(options.save, device_text(device))):
        console.complain(f"device file: {file}")
    return one_device_document(device)


COMMAND = Command(DevicesOptions, run)
