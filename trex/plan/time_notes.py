"""What the checks of a run's times share: codes of their Notes, hints, and how far times of the same run differ."""

from __future__ import annotations

from trex.core.timings import MISSING_TIMES
from trex.core.whole_set import UNFINISHED_RUN
from trex.ingest import differing_times
from trex.ingest.differing_facts import OTHER_FACT, OTHER_GPU, OTHER_SHAPE
from trex.ingest.logs import consecutive_runs
from trex.ingest.logs.consecutive_runs import INTERRUPTED_RUN
from trex.ingest.logs.run_metadata import MIXED_RUNS, RUN_CRASHED, RUN_FAILED

TWO_RUNS = differing_times.TWO_RUNS
TIMES_CONTRADICT, SHARES_CONTRADICT = "times-contradict", "shares-contradict"
COPIED_QUERIES, PERCENTILES_CONTRADICT, THROUGHPUT_CONTRADICTS = (
    "timing-copied-queries",
    "percentiles-contradict",
    "throughput-contradicts",
)
ENQUEUE_CONTRADICTS, TRANSFERS_CONTRADICT = "enqueue-contradicts", "transfers-contradict"
"""Codes of Notes that, as problems, leave these parts of a run unknown."""
EARLIER_ENGINE = consecutive_runs.EARLIER_ENGINE
OTHER_PROFILE = "times-of-another-profile"
TIMES_OF_OTHER_SHAPES = OTHER_SHAPE
"""Code of the Note on a run at other shapes than the engine's."""
WRONG_TIMES = (
    TIMES_CONTRADICT,
    TWO_RUNS,
    COPIED_QUERIES,
    MISSING_TIMES,
    OTHER_SHAPE,
    OTHER_FACT,
    OTHER_GPU,
    OTHER_PROFILE,
    UNFINISHED_RUN,
    RUN_FAILED,
    RUN_CRASHED,
    MIXED_RUNS,
    INTERRUPTED_RUN,
)
"""Codes of Notes that, as problems, leave no time of the engine to be believed."""
CONTRADICTED = 100.0
"""Times of one inference that differ by this factor cannot both be right; wrong units are a factor of 1000. On 18 real
engines the layers add up to 1.02 to 1.76 times GPU compute (timing a layer costs 1 to 8 µs), and GPU compute is at most
1.00 times the wall time."""
SHORTEST_MS = 0.0005
"""The resolution of a GPU's timer; a kernel that does nothing takes 2 µs. Single layers may be shorter: folded ones."""
SAME_RUN = 1.1
"""GPU compute by the per-query times and by trtexec's summary of the same run: within 0.1 % on real engines."""
OTHER_RUN = 1.5
"""What other clocks do not explain. The layers of real engines add up to 1.02 times GPU compute or more, as they are
timed one by one."""
TOTAL_COMPUTE, TOTAL_WALL = "Total GPU Compute Time", "Total Host Walltime"
"""Lines of trtexec's summary, in seconds."""
OTHER_UNIT = "export all files again from one run of trtexec, which writes milliseconds"
ONE_RUN = "keep the files of one run together"
"""Hints."""
