"""A run in the log of each release: loading, bindings, the performance report, the layer table."""

from __future__ import annotations

from tests.mocks.arguments import Parsed, Release
from tests.mocks.console import Console, Failed
from tests.mocks.echo import transfers
from tests.mocks.network import Queries
from tests.synthetic.description import Description
from tests.synthetic.measurements import profile_rows, six, statistics

MOST_AVERAGES = 100  # of ten runs each; since 9.0 the middle of longer lists is left out


def context_log(console: Console, release: Release, parsed: Parsed, description: Description) -> None:
    """The execution context and its bindings."""
    console.info(
        "[TRT] [MemUsageChange] TensorRT-managed allocation in IExecutionContext creation: CPU +0, GPU +1, now: CPU 0, "
        "GPU 7 (MiB)"
    )
    if release >= (8, 5):
        console.info("Setting persistentCacheLimit to 0 bytes.")
    if release >= (9, 0):
        for name, dims in parsed.run_shapes.items():
            console.info(f"Set shape of input tensor {name} to: {dims}")
        console.info("Created execution context with device memory size: 0.957031 MiB")
    for region in description.bindings:
        side = "input" if region in description.inputs else "output"
        dims = "x".join(map(str, region.dims))
        if release >= (8, 6):
            if side == "input":
                console.info(f"Using random values for input {region.name}")
            kind = f" and type {region.type.lower()}" if release >= (10, 16) else ""
            console.info(f"{side.capitalize()} binding for {region.name} with dimensions {dims}{kind} is created.")
        else:
            console.info(f"Using random values for {side} {region.name}")
            console.info(f"Created {side} binding for {region.name} with dimensions {dims}")


def inference_log(console: Console, release: Release, parsed: Parsed) -> None:
    """From ``Starting inference`` to the end of the measurement."""
    console.info("Starting inference")
    if release >= (10, 0) and (parsed.has("useCudaGraph") or (release >= (11, 0) and not parsed.has("noCudaGraph"))):
        console.info("Capturing CUDA graph for the current execution context")
        console.info("Successfully captured CUDA graph for the current execution context")
    console.reach("inference")
    if console.fails("inference"):
        console.error(
            "[TRT] IExecutionContext::enqueueV3: Error Code 1: Cuda Runtime (an illegal memory access was encountered)"
        )
        console.error("Error occurred during inference")
        raise Failed
    console.step()


def performance_log(
    console: Console, release: Release, parsed: Parsed, queries: Queries, warm_up_queries: int = 41
) -> None:
    """Trace details and the performance summary."""
    measured = queries.measured
    wall = (measured[-1]["endD2hMs"] - measured[0]["startH2dMs"]) / 1000
    old = release <= (8, 2)
    console.info(f"Warmup completed {warm_up_queries} queries over {parsed.text('warmUp', '200')} ms")
    console.info(f"Timing trace has {len(measured)} queries over {six(wall)} s")
    console.info()
    console.info("=== Trace details ===")
    runs = parsed.number("avgRuns", 10)
    console.info(f"Trace averages of {runs} runs:")
    groups = [measured[start : start + runs] for start in range(0, len(measured) - runs + 1, runs)]
    for number, group in enumerate(groups):
        if release >= (9, 0) and number == MOST_AVERAGES:
            console.info(f"... Omitting {len(groups) - MOST_AVERAGES} lines")
            break
        gpu, host = (six(sum(row[key] for row in group) / len(group)) for key in ("computeMs", "latencyMs"))
        enqueue = six(sum(row["endEnqMs"] - row["startEnqMs"] for row in group) / len(group))
        end = f"end to end {six(host * 1.9)} ms, " if old else ""
        console.info(
            f"Average on {runs} runs - GPU latency: {gpu} ms - Host latency: {host} ms ({end}enqueue {enqueue} ms)"
        )
    console.info()
    console.info("=== Performance summary ===")
    console.info(f"Throughput: {six(len(measured) / wall)} qps")
    columns = {
        "Latency": [row["latencyMs"] for row in measured],
        **({"End-to-End Host Latency": [row["latencyMs"] * 1.9 for row in measured]} if old else {}),
        "Enqueue Time": [row["endEnqMs"] - row["startEnqMs"] for row in measured],
        "H2D Latency": [row["h2dMs"] for row in measured],
        "GPU Compute Time": [row["computeMs"] for row in measured],
        "D2H Latency": [row["d2hMs"] for row in measured],
    }
    for name, values in columns.items():
        console.info(f"{name}: {_statistics(values, release)}")
    console.info(f"Total Host Walltime: {six(wall)} s")
    console.info(f"Total GPU Compute Time: {six(sum(columns['GPU Compute Time']) / 1000)} s")
    if transfers(parsed, release) and console.behavior.get("transfer_bound"):
        console.warning("* Throughput may be bound by host-to-device transfers for the inputs rather than GPU Compute.")
        console.warning("  Add --noDataTransfers flag to disable data transfers.")
    if console.behavior.get("unstable"):
        console.warning("* GPU compute time is unstable, with coefficient of variance = 28.085%.")
        console.warning(
            "  If not already in use, locking GPU clock frequency or adding --useSpinWait may improve the stability."
        )
    console.info("Explanations of the performance metrics are printed in the verbose logs.")
    console.verbose("")
    console.verbose("=== Explanations of the performance metrics ===")
    console.verbose("GPU Compute Time: the GPU latency to execute the kernels for a query.")
    console.info()


def _statistics(values: list[float], release: Release) -> str:
    numbers = statistics(values, f"{release[0]}.{release[1]}")
    names = ["min", "max", "mean", "median", *(("percentile(90%)", "percentile(95%)") if release >= (8, 5) else ())]
    names.append("percentile(99%)")
    return ", ".join(f"{name} = {value:g} ms" for name, value in zip(names, numbers, strict=True))


def profiled_only_log(console: Console) -> None:
    """8.4 to 10.16 say this in place of the performance report when the profiler had no run of its own."""
    console.info(
        "The e2e network timing is not reported since it is inaccurate due to the extra synchronizations when the "
        "profiler is enabled."
    )
    console.info(
        "To show e2e network timing report, add --separateProfileRun to profile layer timing in a separate run or "
        "remove --dumpProfile to disable the profiler."
    )
    console.info()


def layer_table(console: Console, release: Release, description: Description, iterations: int) -> None:
    """The layer times on the console, in the columns of the release."""
    rows = profile_rows(description)
    total = sum(average for _, average, _ in rows) or 1.0
    console.info()
    console.info(f"=== Profile ({iterations} iterations ) ===")
    width = max(len(name) for name, _, _ in rows) + 3
    table = [(name, average * iterations, average, median, average / total * 100) for name, average, median in rows]
    table.append(("Total", total * iterations, total, sum(median for _, _, median in rows), 100.0))
    if release >= (8, 6):
        console.info("   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")
    else:
        median_title = "   Median Time (ms)" if release >= (8, 4) else ""
        console.info(f"{'Layer':>{width}}   Time (ms)   Avg. Time (ms){median_title}   Time %")
    for name, time, average, median, share in table:
        if release >= (8, 4) and time == 0:
            continue
        if release >= (8, 6):
            console.info(f"{time:11.2f} {average:12.4f} {median:12.4f} {share:9.1f}   {name}")
        else:
            middle = f" {median:18.4f}" if release >= (8, 4) else ""
            console.info(f"{name:>{width}} {time:11.2f} {average:16.4f}{middle} {share:8.1f}")
    console.info()
