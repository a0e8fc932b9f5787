"""The engine's build, from its verbose log: phases one after the other, timing by layer, margins of the choices."""

from __future__ import annotations

import math

import pandas as pd

from trex.builder.build_statements import BUILT, GENERATION, duration, engine_choices, phases
from trex.builder.ties import TIE
from trex.core.build_log import REFORMAT
from trex.core.counted import counted
from trex.core.duration import seconds_words
from trex.views.chart import Chart, Subject
from trex.views.plot import Axis, Bars, Empty, Points

NO_LOG = Empty(
    "there is no verbose log of the build among the engine's files",
    "write one while building: trtexec --verbose … 2>&1 | tee FOLDER/build.log",
)
_NO_DURATIONS = Empty(
    "the log has no durations: TensorRT prints them since 8.6", "trex tactics PATH shows what else the log contains"
)
_NO_CHOICES = Empty(
    "the builder timed no tactics",
    "TensorRT for RTX chooses kernels when the engine runs; a full timing cache leaves nothing to time",
)
_LEAST_SHARE, _MOST_LAYERS, _LEAST_MARGIN_PCT = 0.001, 25, 0.01
_OTHER = "other work of engine generation"
_TIE_KEY, _CLEAR_KEY = "near tie", "clear"
_TIE_COLORS = {_TIE_KEY: "#d1495b", _CLEAR_KEY: "#7a8793"}


def _phases(subject: Subject) -> Bars | Empty:
    build = subject.build
    if build is None:
        return NO_LOG
    frame = phases(build.tactics, build.build)
    whole_s = math.fsum(frame["seconds"][frame["phase"] == GENERATION])
    rows: list[tuple[str, float, float, str]] = []
    start = inside = 0.0
    starts: dict[str, float] = {}
    columns = (frame[name].tolist() for name in ("phase", "within", "seconds"))
    for phase, within, seconds in zip(*columns, strict=True):
        if phase in (GENERATION, BUILT):
            continue
        if within:
            rows.append((phase, starts[within], seconds, within))
            continue
        starts[phase] = start
        rows.append((phase, start, seconds, ""))
        start += seconds
        inside += 0.0 if phase == "Parsing" else seconds
    if whole_s - inside > 0:
        rows.append((_OTHER, start, whole_s - inside, ""))
        start += whole_s - inside
    shown = [row for row in rows if start and row[2] >= _LEAST_SHARE * start]
    if not shown:
        return _NO_DURATIONS
    left_out = len(rows) - len(shown)
    return Bars(
        [name for name, *_ in shown],
        [seconds for _, _, seconds, _ in shown],
        Axis("phase"),
        Axis("time from the beginning", "s"),
        keys=["part of a phase" if within else "phase" for *_, within in shown],
        key_title="",
        is_horizontal=True,
        starts=[start_s for _, start_s, _, _ in shown],
        hover={
            "part of": [within.lower() for *_, within in shown],
            "takes": [seconds_words(seconds) for _, _, seconds, _ in shown],
        },
        note=f"{counted(left_out, 'phase')} below 0.1 % left out" if left_out else "",
    )


def _time_by_layer(subject: Subject) -> Bars | Empty:
    build = subject.build
    if build is None:
        return NO_LOG
    spent = build.tactics.build_time
    spent = spent[spent["build"] == build.build]
    if spent.empty:
        return _NO_CHOICES
    if math.isnan(duration(build.tactics, build.build).timing_s):
        return _NO_DURATIONS
    spent = spent.assign(name=spent["layer"].astype(object).where(spent["kind"] != REFORMAT, "all reformats"))
    sums = spent.groupby(["name", "runner"], sort=False, observed=True)[["seconds", "timings"]].sum().reset_index()
    totals = sums.groupby("name", sort=False)["seconds"].sum().sort_values(ascending=False, kind="stable")
    order = {name: rank for rank, name in enumerate(totals.index[:_MOST_LAYERS])}
    left_s, left_out = float(totals.iloc[_MOST_LAYERS:].sum()), max(len(totals) - _MOST_LAYERS, 0)
    rows = sums[sums["name"].isin(order)]
    rows = rows.iloc[rows["name"].map(order).argsort(kind="stable")]
    return Bars(
        rows["name"].tolist(),
        rows["seconds"].tolist(),
        Axis("layers, the slowest to time first"),
        Axis("time that timing took", "s"),
        keys=rows["runner"].astype(str).tolist(),
        key_title="runner",
        is_horizontal=True,
        hover={"timed tactics": rows["timings"].tolist()},
        note=f"{counted(left_out, 'layer')} with {seconds_words(left_s)} left out" if left_out else "",
        layers=[build.layer_indexes.get(name, -1) for name in rows["name"]],
    )


def _margins(subject: Subject) -> Points | Empty:
    build = subject.build
    if build is None:
        return NO_LOG
    used, is_of_engine = engine_choices(build.tactics, build.build)
    indexes = dict(zip(build.choices["group"], build.choices["layer_index"], strict=True))
    rows = used[(used["margin_pct"] >= 0) & (used["time_ms"] > 0)]
    if rows.empty:
        return _NO_CHOICES
    margins = [max(float(margin), _LEAST_MARGIN_PCT) for margin in rows["margin_pct"]]
    times = rows["time_ms"].tolist()
    alone = int(used["margin_pct"].isna().sum())
    words = [f"{counted(alone, 'choice')} had no runner-up"] if alone else []
    if forced := int((used["margin_pct"] < 0).sum()):
        words.append(f"{counted(forced, 'choice')} left out: slower than the runner-up, as if forced")
    if not is_of_engine:
        words.append("one point for each layer and combination of formats: the log does not say which the engine uses")
    layers = [indexes.get(group) for group in rows["group"]]
    return Points(
        times,
        margins,
        Axis("time of the chosen tactic", "ms", log=True),
        Axis("how much slower the runner-up is", "%", log=True),
        texts=[
            operation or layer for layer, operation in zip(rows["layer"].astype(str), rows["operation"], strict=True)
        ],
        keys=[_TIE_KEY if margin <= 100 * TIE else _CLEAR_KEY for margin in margins],
        key_title="",
        lines=[(f"{100 * TIE:g} %", [min(times), max(times)], [100 * TIE] * 2)],
        hover={
            "runner-up (%)": [f"+{margin:.3g}" for margin in rows["margin_pct"]],
            "timed tactics": rows["tried"].tolist(),
        },
        note="; ".join(words),
        layers=[-1 if index is None or pd.isna(index) else int(index) for index in layers],
        colors=_TIE_COLORS,
    )


CHARTS = (
    Chart(
        "build-phases",
        "Phases of the build",
        "Each bar is as long as its phase and begins where the one before ends. Timing tactics and compiling subgraphs "
        "are parts of the selection of formats and tactics. A long timing phase is what a timing cache saves.",
        _phases,
        "build",
    ),
    Chart(
        "build-time-by-layer",
        "Build time by layer",
        "How long the builder timed tactics of each layer, by runner. It times every combination of formats, and every "
        "reformat between them: a layer that is fast in the engine may be slow to build.",
        _time_by_layer,
        "build",
    ),
    Chart(
        "tactic-margins",
        "Margins of the chosen tactics",
        "How much slower the runner-up of each choice was. Below the line, at most 2 %, the next build may choose the "
        "other tactic: times and rounding may differ. To the right are the choices that matter most.",
        _margins,
        "build",
    ),
)
