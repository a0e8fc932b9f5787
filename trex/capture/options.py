"""CaptureOptions: every choice of a run from a model to its engine's artifacts, declared once."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.options import count, option

BACKENDS = ("auto", "trtexec", "tensorrt", "simulated")


def clock(text: str) -> str:
    """A frequency in MHz, or max."""
    return text if text == "max" else str(count(text))


def seconds(text: str) -> float:
    """A number of seconds from 0 up."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number


def seed(text: str) -> str:
    """A whole number from 0 up, or nothing."""
    return str(count(text)) if text else ""


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """What is built and measured, and how. Zero and empty text stand for «as TensorRT has it».

    A run is measured in the same way on every release: launched as one CUDA graph, waiting in a loop, without transfers
    between host and device, the layer profile in a run of its own. TensorRT 11 does so by itself, older releases are
    told; ``no_cuda_graph``, ``no_spin_wait`` and ``include_data_transfers`` undo it on every release.
    """

    model: str = option(help="ONNX model to build an engine from, or an engine to profile", metavar="INPUT")
    outdir: str = option(help="folder for what is written; it is made where there is none", metavar="OUTDIR")
    words: tuple[str, ...] = option(
        (),
        "options for trtexec, with or without dashes: int8 fp16 shapes=x:1x3x224x224",
        many=True,
        positional=True,
        metavar="TRTEXEC",
    )
    build_engine: bool = option(False, "build the engine; without -b, -p and -d all three are done", flags=("-b",))
    profile_engine: bool = option(False, "profile the engine", flags=("-p",))
    draw_engine: bool = option(False, "draw the engine", flags=("-d",))
    print_only: bool = option(False, "print the commands and run nothing")
    force: bool = option(False, "do again what is up to date")
    archive: bool = option(False, "keep everything in one .tea file, too")
    report: bool = option(False, "write the report as one HTML page, too (extra report)")
    backend: str = option("auto", "what builds and runs the engine", choices=BACKENDS)
    device: str = option(
        "", "GPU to predict for with --backend simulated, by name or a file of trex devices", metavar="NAME"
    )
    as_release: str = option(
        "", "TensorRT to predict with --backend simulated, 8.4 to 11.1 (default: 10.4)", metavar="VERSION"
    )
    noise: str = option(
        "", "seed of made-up scatter in simulated times; without it all are alike", convert=seed, metavar="SEED"
    )
    trtexec: str = option("", "trtexec to use, or its folder", metavar="PATH")
    timeout: float = option(0.0, "seconds after which a stage is stopped; 0: never", convert=seconds, metavar="S")
    workspace: int = option(
        0, "workspace of the builder in MiB; 0: all of the device, 8192 before 8.4", convert=count, metavar="MIB"
    )
    timing_cache: str = option("", "timing cache to use instead of the one in OUTDIR", metavar="FILE")
    dev: int = option(0, "number of the GPU", convert=count, metavar="N")
    memory_clk_freq: str = option("max", "memory clock to lock, in MHz or max", convert=clock, metavar="MHZ")
    compute_clk_freq: str = option("max", "compute clock to lock, in MHz or max", convert=clock, metavar="MHZ")
    power_limit: int = option(0, "power limit to set in watts; 0: leave it", convert=count, metavar="W")
    dont_lock_clocks: bool = option(False, "leave the clocks alone; --power-limit is set all the same")
    monitor: bool = option(False, "record temperature, power, clocks and utilization during the run")
    iterations: int = option(0, "at least so many inferences; 0: trtexec's 10", convert=count, metavar="N")
    warm_up: int = option(
        0, "milliseconds of inferences before the measurement; 0: trtexec's 200", convert=count, metavar="MS"
    )
    duration: int = option(0, "at least so many seconds of measurement; 0: trtexec's 3", convert=count, metavar="S")
    no_cuda_graph: bool = option(False, "launch the kernels one by one, not as one CUDA graph")
    no_spin_wait: bool = option(False, "wait for the GPU without a loop: less power, less stable times")
    include_data_transfers: bool = option(False, "measure the transfers between host and device, too")

    @property
    def gpu(self) -> int:
        """CUDA's number of the GPU that is used: the word ``device=N`` goes before ``dev``, as in every command.

        ``--device=N``, trtexec's own spelling, means the same; ``--device NAME`` is the GPU of a prediction.
        """
        words = (word.lstrip("-").partition("=") for word in self.words)
        numbers = [value for name, _, value in words if name == "device" and value.isdecimal()]
        if not numbers and self.device.isdecimal():
            return int(self.device)
        return int(numbers[-1]) if numbers else self.dev
