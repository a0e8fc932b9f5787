"""CaptureOptions: every option of a run from a model to its engine's files, declared once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trex.core.options import amount, count, option

BACKENDS = ("auto", "trtexec", "tensorrt", "tensorrt-rtx", "simulated")


def clock(text: str) -> str:
    """A frequency in MHz, or max."""
    return text if text == "max" else str(count(text))


def seed(text: str) -> str:
    """A whole number, not negative, or nothing."""
    return str(count(text)) if text else ""


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What is built and measured, and how. Zero and empty text stand for TensorRT's default.

    Every release measures in the same way: launches as one CUDA graph, a spinning wait, no transfers between host and
    device, the layer profile in a run of its own. These are the defaults of TensorRT 11; for older releases they are
    options on the command line. ``no_cuda_graph``, ``no_spin_wait`` and ``include_data_transfers`` undo them.
    """

    model: str = option(help="ONNX model to build an engine from, or an engine to profile", metavar="INPUT")
    outdir: str = option(help="folder for the files; created if missing", metavar="OUTDIR")
    trtexec_args: tuple[str, ...] = option(
        (),
        "options for trtexec, with or without dashes: int8 fp16 shapes=x:1x3x224x224",
        many=True,
        positional=True,
        metavar="TRTEXEC",
    )
    build_engine: bool = option(False, "build the engine; without -b, -p and -d do all three", flags=("-b",))
    profile_engine: bool = option(False, "profile the engine", flags=("-p",))
    draw_engine: bool = option(False, "draw the engine", flags=("-d",))
    print_only: bool = option(False, "print the commands and run nothing")
    force: bool = option(False, "repeat stages that are up to date; replace files of another model or engine")
    archive: bool = option(False, "also keep everything in one .tea file")
    report: bool = option(False, "also write the report as one HTML page (extra report)")
    backend: str = option("auto", "what builds and runs the engine", choices=BACKENDS)
    device: str = option("", "GPU to predict for with --backend simulated or tensorrt-rtx", metavar="NAME")
    target: str = option("", "GPUs that --backend tensorrt-rtx builds for: sm75 … sm121, names, or all", metavar="GPUS")
    as_release: str = option(
        "", "TensorRT to predict with --backend simulated: 8.4 to 11.1 (default 10.4)", metavar="VERSION"
    )
    noise: str = option("", "seed of random scatter in simulated times (default: none)", convert=seed, metavar="SEED")
    trtexec: str = option("", "trtexec to use, or its folder", metavar="PATH")
    timeout: float = option(0.0, "stop a stage after so many seconds; 0: never", convert=amount, metavar="S")
    workspace: int = option(
        0, "builder workspace in MiB; 0: all memory of the device, 8192 before 8.4", convert=count, metavar="MIB"
    )
    timing_cache: str = option("", "timing cache to use instead of the one in OUTDIR", metavar="FILE")
    record_tactics: str = option(
        "", "write the build's tactics to FILE.json and FILE.cache (TensorRT 10.8)", metavar="FILE"
    )
    replay_tactics: str = option("", "build with the tactics of a record; fail if any differs (10.8)", metavar="FILE")
    dev: int = option(0, "number of the GPU", convert=count, metavar="N")
    memory_clk_freq: str = option("max", "lock the memory clock at MHz, or max", convert=clock, metavar="MHZ")
    compute_clk_freq: str = option("max", "lock the compute clock at MHz, or max", convert=clock, metavar="MHZ")
    power_limit: int = option(0, "set the power limit in watts; 0: leave it", convert=count, metavar="W")
    dont_lock_clocks: bool = option(False, "do not lock the clocks; --power-limit still applies")
    monitor: bool = option(False, "record temperature, power, clocks and utilization during the run")
    iterations: int = option(0, "run at least N inferences; 0: trtexec's 10", convert=count, metavar="N")
    warm_up: int = option(0, "warm up for MS milliseconds; 0: trtexec's 200", convert=count, metavar="MS")
    duration: int = option(0, "measure for at least S seconds; 0: trtexec's 3", convert=count, metavar="S")
    no_cuda_graph: bool = option(False, "launch the kernels one by one, not as one CUDA graph")
    no_spin_wait: bool = option(False, "do not spin while waiting: less power, less stable times")
    include_data_transfers: bool = option(False, "also measure transfers between host and device")

    @property
    def timing_caches(self) -> tuple[str, ...]:
        """The files that ``--timing-cache`` and trtexec's option name."""
        return tuple(path for path in (self.timing_cache, *self.values_for_trtexec("timingCacheFile")) if path)

    def values_for_trtexec(self, name: str) -> Iterator[str]:
        """The values of one option that goes to trtexec as it is."""
        given = (text.lstrip("-").partition("=") for text in self.trtexec_args)
        return (value for one, _, value in given if one == name)

    @property
    def gpu(self) -> int:
        """CUDA's number of the GPU: trtexec's option ``device=N`` wins over ``--dev``.

        ``--device=N``, trtexec's own spelling, means the same; ``--device NAME`` is the GPU of a prediction.
        """
        given = (text.lstrip("-").partition("=") for text in self.trtexec_args)
        numbers = [value for name, _, value in given if name == "device" and value.isdecimal()]
        if not numbers and self.device.isdecimal():
            return int(self.device)
        return int(numbers[-1]) if numbers else self.dev
