"""DiagnosisFacts: what the diagnosis of an engine rests on, each fact computed once, when a state asks for it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from trex.core.counted import counted
from trex.core.significant import significant
from trex.perf.achievable import BOUNDS, Bound
from trex.perf.batch import batch_size
from trex.perf.measures import Measures
from trex.perf.roofline import LAUNCH_MS
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.lint_result import RankedFinding
from trex.rules.operators import COPIES, DLA, OPAQUE_TYPES
from trex.rules.similar import fold_similar
from trex.rules.type_flow import FLOATS, QUANTIZED

FIX_PCT = 3.0
"""A fix that likely saves less of the engine's time is not worth a sentence: two runs differ by 1 to 2 %."""
DISTURBED = 1.1
"""Averages of layers above so many times their medians: some iterations waited for something else."""
LONG_TAIL = 1.5
"""99th percentile over median of the GPU compute time from which a tail is named."""
_UNTIMED = 0.1
"""Part of the layers without a time from which shares of the time are in doubt."""
_FULL_WAVE = 0.75
_CLAUSE_END = re.compile(r"[;:] | \(|, (?:so that|with|if|which|one|as) ")
_LARGE_GPU_SMS = 40
"""Streaming multiprocessors: a T4 has 40, an A100 108; the parts for the edge have 4 to 32."""


class DiagnosisFacts:
    """findings: of all rules, without suppressed ones, in order."""

    def __init__(self, engine: AnalyzedEngine, findings: Sequence[RankedFinding]) -> None:
        self.engine = engine
        self.findings = findings

    # ---- Findings

    @cached_property
    def fixes(self) -> tuple[RankedFinding, ...]:
        """Findings that likely save at least ``FIX_PCT`` of the time, similar ones as one, the largest first."""
        folded = fold_similar(self.findings)
        large = [finding for finding in folded if self.share_of_savings(finding) >= FIX_PCT]
        return tuple(sorted(large, key=lambda finding: -(finding.likely_savings_ms or 0.0)))

    def finding_of(self, *rules: str) -> RankedFinding | None:
        """The first finding of these rules; None without one."""
        return next((finding for finding in self.findings if finding.rule in rules), None)

    def share_of_savings(self, finding: RankedFinding) -> float:
        """Likely savings in percent of the engine's time; 0 if unknown."""
        if not finding.likely_savings_ms or not self.total_ms:
            return 0.0
        return 100.0 * finding.likely_savings_ms / self.total_ms

    def words_of(self, finding: RankedFinding) -> str:
        """The finding's message without the details after its colon."""
        similar = f" ({len(finding.similar):,} similar)" if finding.similar else ""
        return finding.message.partition(": ")[0] + similar

    def fix_of(self, finding: RankedFinding) -> str:
        """What to do, without conditions and explanations; "" if the finding has no fix."""
        return _CLAUSE_END.split(finding.fix[0], maxsplit=1)[0] if finding.fix else ""

    def savings_text(self, finding: RankedFinding) -> str:
        """``0.23 of 0.88 ms``."""
        if finding.likely_savings_ms is None or self.total_ms is None:
            return ""
        return f"{significant(finding.likely_savings_ms, 2)} of {significant(self.total_ms, 3)} ms"

    # ---- Times

    @property
    def total_ms(self) -> float | None:
        """What savings are shares of, GPU compute or the sum of the layers; None without layer times."""
        return self.engine.performance.prices.total_ms

    @property
    def is_timed(self) -> bool:
        return self.engine.is_timed

    @property
    def measures(self) -> Measures:
        return self.engine.performance.reconciliation.measures

    @property
    def compute_ms(self) -> float | None:
        """GPU compute time of an inference, None if unknown."""
        return self.measures.compute.ms

    def share(self, positions: Iterable[int]) -> float:
        """Share of these layers in the layers' time in percent; 0 if unknown."""
        ms = self.engine.sum_ms(positions)
        return 100.0 * ms / self.engine.total_ms if self.is_timed and math.isfinite(ms) else 0.0

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Why the measurement cannot be trusted, the main reason alone; () if nothing speaks against it."""
        performance = self.engine.performance
        if performance.lost and not performance.contradicted:
            return (f"layers or their times are missing ({performance.lost[0].code}): what follows is of the others",)
        if performance.is_bare_prediction or not (self.is_timed or self.compute_ms):
            return ()
        if performance.contradicted:
            return ()  # its state says that all times are in doubt
        if performance.too_fast:
            return (f"the times or the GPU are in doubt: {performance.too_fast[0].message}",)
        if self.is_timed and len(self.untimed) > _UNTIMED * len(self.engine.layers):
            return (f"{len(self.untimed):,} of {self.layers_text} have no time: shares are of the others",)
        if performance.wrong_layer_times:
            return (f"the layer times can't be trusted ({performance.wrong_layer_times[0].code})",)
        layers, main = self.measures.layers, performance.samples.main
        throttling = performance.samples.throttling
        if throttling is not None and throttling.was_slowed:
            return (f"the GPU was slowed during the run ({', '.join(throttling.reasons)}): measure again",)
        if layers.median_ms and layers.mean_ms and layers.mean_ms > DISTURBED * layers.median_ms:
            ratio = layers.mean_ms / layers.median_ms
            return (f"the run was disturbed (layers take {ratio:.2f}× their medians on average): trust ranks only",)
        level = performance.reconciliation.verdict.smallest_pct
        if main is not None and performance.reconciliation.verdict.level == "rough":
            noise = "no difference" if level is None else f"only differences above {level:g} %"
            return (f"the run was unsteady: it supports {noise}",)
        tail = self._tail
        if tail > LONG_TAIL:
            return (f"the median is certain, the tail is not (p99 {tail:.1f}× the median)",)
        return ()

    @property
    def _tail(self) -> float:
        """99th percentile of GPU compute over its median, by the samples, else by trtexec's summary; 0 if unknown."""
        main = self.engine.performance.samples.main
        summary = self.engine.plan.metadata.latency.get("GPU Compute Time")
        median = main.median_ms if main is not None else summary.median_ms if summary is not None else None
        percentiles = main.percentiles if main is not None else summary.percentiles if summary is not None else {}
        return percentiles.get(99.0, 0.0) / median if median else 0.0

    # ---- Layers

    @cached_property
    def untimed(self) -> frozenset[int]:
        """Positions of the layers without a time."""
        return frozenset(position for position, ms in enumerate(self.engine.times) if ms != ms) - self.engine.dla_waits

    @cached_property
    def gemms(self) -> tuple[int, ...]:
        """Positions of convolutions and GEMMs."""
        return tuple(filter(self.engine.operations.is_gemm, range(len(self.engine.layers))))

    @cached_property
    def gemm_types(self) -> dict[str, list[int]]:
        """{data type: positions of the convolutions and GEMMs that multiply it}, the most time first."""
        types: dict[str, list[int]] = {}
        for position in self.gemms:
            types.setdefault(self.engine.operand_type(position).label, []).append(position)
        return dict(sorted(types.items(), key=lambda item: (-self.share(item[1]), -len(item[1]))))

    @cached_property
    def precision(self) -> str:
        """The type in which most is multiplied, "" if unknown."""
        return next((name for name in self.gemm_types if name != "Unknown"), "")

    @property
    def name(self) -> str:
        """``INT8 engine``, or ``engine``."""
        return f"{self.precision} engine" if self.precision else "engine"

    @cached_property
    def gemm_words(self) -> str:
        """``all 21 convolutions and GEMMs run in INT8``; "" without any, or without a known type."""
        if not self.precision:
            return ""
        parts = [f"{len(positions):,} in {name}" for name, positions in self.gemm_types.items()]
        if len(parts) == 1:
            whole = "the only convolution or GEMM runs" if len(self.gemms) == 1 else ""
            return f"{whole or f'all {len(self.gemms):,} convolutions and GEMMs run'} in {self.precision}"
        parts = [part.replace("in Unknown", "in an unknown type") for part in parts]
        return f"of {len(self.gemms):,} convolutions and GEMMs {', '.join(parts[:-1])} and {parts[-1]}"

    @cached_property
    def copies(self) -> list[int]:
        """Positions of reformats and casts."""
        return [position for position, layer in enumerate(self.engine.layers) if layer.type in COPIES]

    @cached_property
    def quantizers(self) -> list[int]:
        """Positions of kernels that read floats and write a quantized type without multiplying."""
        flow, gemms = self.engine.flow, set(self.gemms)
        types = enumerate(zip(flow.reads, flow.writes))
        return [at for at, (reads, writes) in types if reads in FLOATS and writes in QUANTIZED and at not in gemms]

    @cached_property
    def regions(self) -> list[int]:
        """Positions of regions whose kernels are not listed: Myelin's, parts on the DLA, loops."""
        return [position for position, layer in enumerate(self.engine.layers) if layer.type in OPAQUE_TYPES]

    @property
    def dla_share(self) -> float:
        """Share of the time that GPU layers wait for the DLA (``AnalyzedEngine.dla_waits``), in percent."""
        return 100.0 * self.engine.dla_ms / self.engine.total_ms if self.engine.dla_ms else 0.0

    @cached_property
    def main_types(self) -> str:
        """The types with the most time, up to two thirds of it: ``Convolution 65 %, Reformat 25 %``; "" if unknown."""
        if not self.is_timed:
            return ""
        positions: dict[str, list[int]] = {}
        for position, layer in enumerate(self.engine.layers):
            positions.setdefault(layer.type, []).append(position)
        of_types = {name: self.share(members) for name, members in positions.items()}
        if DLA in of_types:
            of_types[DLA] += self.dla_share
        shares = Counter(of_types)
        words: list[str] = []
        covered = 0.0
        for name, share in shares.most_common(3):
            if covered >= 200.0 / 3.0 or share < FIX_PCT:
                break
            words.append(f"{name} {share:.0f} %")
            covered += share
        return ", ".join(words)

    def bound_share(self, *bounds: Bound) -> float:
        """Share of the time in layers that one of these limits, in percent."""
        codes = [BOUNDS.index(bound) for bound in bounds]
        return self.share(np.flatnonzero(np.isin(self.engine.performance.roofline.bound, codes)).tolist())

    @cached_property
    def launch_share(self) -> float:
        """Share of the time in kernels that the launch limits, in percent.

        Without those that move more than the memory moves in two launches: L2 alone makes them short, and they fill
        the GPU.
        """
        performance = self.engine.performance
        rate = None if performance.device is None else performance.device.bytes_per_s
        is_short = performance.roofline.bound == BOUNDS.index(Bound.LAUNCH)
        if rate is not None:
            moved_ms = 1e3 * np.nan_to_num(performance.roofline.bytes_moved) / rate.per_second
            is_short = is_short & (moved_ms <= 2 * LAUNCH_MS)
        return self.share(np.flatnonzero(is_short).tolist())

    @cached_property
    def fills_no_wave(self) -> bool:
        """Whether most GEMM time on a GPU of many SMs is in kernels with less than one full wave of blocks."""
        performance = self.engine.performance
        sms = None if performance.device is None else performance.device.sm_count
        if sms is None or sms < _LARGE_GPU_SMS:
            return False
        known = [
            (position, tiling)
            for position, tiling in enumerate(performance.tilings)
            if tiling is not None and tiling.waves is not None and tiling.wave_efficiency is not None
        ]
        short = [
            position
            for position, tiling in known
            if tiling.waves == 1 and (tiling.wave_efficiency or 1.0) < _FULL_WAVE and not tiling.splits_k
        ]
        return bool(known) and self.share(short) > 0.5 * self.share(position for position, _ in known)

    @property
    def filling(self) -> str:
        """``; at batch 1 most GEMMs fill less than one wave of 108 SMs``; "" where they do not."""
        device = self.engine.performance.device
        if not self.fills_no_wave or device is None:
            return ""
        batch = batch_size(self.engine.plan)
        at = "" if batch is None else f"at batch {batch} "
        return f"; {at}most GEMMs fill less than one wave of {device.sm_count} SMs"

    @property
    def layers_text(self) -> str:
        return counted(len(self.engine.layers), "layer")
