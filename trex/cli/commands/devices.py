"""GPUs whose peaks are known: all of them, one with the source of every figure, or this machine's, measured.

NAME is a device's name or alias, or a device file. Peaks are dense and in 10¹² operations a second (a multiply-add is
two), GB/s are 10⁹ bytes a second; FP16 and FP8 are with sums in FP32. Certainty, from the surest: measured, reported
(by an engine's files), datasheet, page (others' publications), derived, unverified (no document was at hand).

`trex devices measure` measures copy bandwidth and GEMM rates on this machine's GPU with cuda-python and cuBLAS and
writes a device file. Device files in ~/.config/trex/devices (or $XDG_CONFIG_HOME/trex/devices, or the folders of
$TREX_DEVICES) are known by their names from then on.

examples:
  trex devices
  trex devices L4
  trex devices "RTX 4090" --json > mine.json
  trex devices measure -o ~/.config/trex/devices/this-gpu.json
  trex perf out/ --device mine.json
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.perf.device import Device

MEASURE = "measure"


@dataclass(frozen=True)
class Options:
    name: str = option("", "a device, a device file, or the word measure; none: all devices", positional=True)
    json: bool = option(False, "print JSON: all (schema trex.devices/1), or one as a device file")
    output: str = option("", "write the device file to this file", flags=("-o",), metavar="FILE")
    dev: int = option(0, "which GPU to measure, as CUDA numbers them", metavar="N", convert=count)


def run(options: Options) -> int:
    if options.name == MEASURE:
        return _measure(options)
    return _one(options) if options.name else _all(options)


def _all(options: Options) -> int:
    from trex.cli import console
    from trex.export.frame import plain_value
    from trex.export.text_table import table_lines
    from trex.perf.device_file import device_document
    from trex.perf.known_devices import known_devices, user_folders
    from trex.views.devices import SCHEMA, devices_table

    listed, notes = known_devices()
    table = devices_table(listed, short_names=not options.json)
    if options.json:
        devices = [device_document(entry.device) for entry in listed]
        console.show_json(plain_value({"schema": SCHEMA, "table": table.records(), "devices": devices}))
    else:
        console.show(table_lines(table.for_people(), console.width()))
        console.say()
        console.say("FP32 to FP4: dense peaks in 10¹² operations a second, FP16 and FP8 with sums in FP32.")
        console.say(f"Files of your own: {user_folders()[-1]}")
    console.tell(notes)
    return 0


def _one(options: Options) -> int:
    from trex.perf.known_devices import find_device

    _tell(find_device(options.name), options)
    return 0


def _measure(options: Options) -> int:
    from trex.capture.ceilings import measure_device
    from trex.cli import console

    with console.patience("measuring"):
        device = measure_device(options.dev)
    _tell(device, options)
    return 0


def _tell(device: Device, options: Options) -> None:
    from trex.cli import console
    from trex.export.device_text import device_lines
    from trex.export.files import write_file
    from trex.perf.device_file import device_text

    if options.output:
        console.say(str(write_file(options.output, device_text(device))))
    if options.json:
        console.write(device_text(device))
    elif not options.output:
        console.show(device_lines(device, console.width()))
    console.tell(device.notes)


COMMAND = Command(Options, run)
