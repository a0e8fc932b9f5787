"""How right: what lint shows of judged engines, against verdicts and lists of true problems made by hand.

Run ``python -m tests.benchmarks --only judged`` (some seconds).

How it measures
    ``tests/judged/`` has, for each engine, its true problems, the rules of which one has to be first, and a verdict for
    every finding: useful, trivial or wrong. Problems were written down from the raw files before lint was run, but for
    the last 13 engines of ``engines.csv``, whose judge had seen what lint says. Counted is what
    ``trex lint`` prints without options. Recall is the share of problems of which a finding that is not wrong is shown,
    or which a diagnosis that is not wrong names. What comes first is wrong, too, where the diagnosis or the first
    finding is. Engines whose files are absent are left out. A pair's figure is the likely savings announced before a
    change over what the change realized.

Targets
    80 % of the findings useful, 2 % wrong; recall 80 %; what comes first right in 90 % of the engines; 90 % of
    the diagnoses right; a pair's ratio 0.7 to 1.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.benchmarks.table import Line, Part

LEAST_USEFUL_PCT, MOST_WRONG_PCT, LEAST_RECALL_PCT, LEAST_FIRST_PCT = 80.0, 2.0, 80.0, 90.0
LEAST_DIAGNOSIS_PCT = 90.0
RATIOS = (0.7, 1.4)
QUICK = "example/"


def parts(quick: bool) -> list[Part]:
    """What is measured. quick: only the engines that come with the package."""
    return [("judged findings", lambda: findings(quick)), ("judged pairs", lambda: pairs(quick))]


def findings(quick: bool) -> Iterator[Line]:
    """The figures, then what is to be judged, was missed, or comes first wrongly."""
    from tests.judged.judgments import RIGHT, USEFUL, WRONG, engines, figures

    shown = figures([name for name in engines() if name.startswith(QUICK)] if quick else ())
    judged = len(shown.verdicts) - len(shown.unjudged)
    yield Line("useful", shown.share_pct(USEFUL), "%", LEAST_USEFUL_PCT, f"of {judged} findings", is_least=True)
    yield Line("wrong", shown.share_pct(WRONG), "%", MOST_WRONG_PCT, f"of {judged} findings")
    yield Line("recall", shown.recall_pct, "%", LEAST_RECALL_PCT, f"of {shown.problems} problems", is_least=True)
    yield Line("first right", shown.first_pct, "%", LEAST_FIRST_PCT, f"of {len(shown.firsts)} engines", is_least=True)
    diagnosed = f"of {len(shown.diagnoses)} engines"
    yield Line("diagnosis right", shown.diagnosis_pct, "%", LEAST_DIAGNOSIS_PCT, diagnosed, is_least=True)
    for key in shown.unjudged:
        yield Line("  unjudged", None, "", aside=" ".join(key))
    for key in (key for key, verdict in shown.verdicts.items() if verdict == WRONG):
        yield Line("  wrong", None, "", aside=" ".join(key))
    for (engine, state), verdict in shown.diagnoses.items():
        if verdict != RIGHT:
            yield Line("  diagnosis", None, "", aside=f"{engine}: {state}{'' if verdict else ' (unjudged)'}")
    for problem in shown.missed:
        yield Line("  missed", None, "", aside=f"{problem.engine}: {problem.what}")
    for engine, (is_right, code) in shown.firsts.items():
        if not is_right:
            yield Line("  first", None, "", aside=f"{engine}: {code}, not {_either(engines()[engine])}")


def _either(codes: frozenset[str]) -> str:
    return " or ".join(sorted(codes)) or "what no rule finds"


def pairs(quick: bool) -> Iterator[Line]:
    """Announced over realized; its distance from 1 in either direction is what has a target."""
    from tests.judged.pairs import pair_results

    for pair in pair_results():
        if quick and not pair.after.startswith(QUICK):
            continue
        of = "GPU compute" if pair.is_compute else "layers"
        aside = f"{pair.announced_ms:.3f} ms announced, {pair.realized_ms:.3f} realized in {of}"
        aside += f", {pair.layers_ms:.3f} in layers" if pair.is_compute else ""
        is_low = pair.ratio < RATIOS[0]
        yield Line(f"{pair.after}", pair.ratio, "×", RATIOS[not is_low], aside, is_least=is_low)
