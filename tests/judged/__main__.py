"""``python -m tests.judged``: findings without a verdict, as rows for findings.csv to be filled in.

Their messages are on standard error, with the diagnoses that have no verdict in diagnoses.csv. With ``--all``, findings
that lint counts without printing them, too; with ``--stale``, the rows of findings that are gone instead.
"""

from __future__ import annotations

import csv
import sys

from tests.judged.engines import lint_of
from tests.judged.judgments import diagnosis_judgments, engines, judgments, key_of, shown, stale, verdict_of
from trex.rules.similar import fold_similar


def main() -> None:
    writer, known = csv.writer(sys.stdout, lineterminator="\n"), judgments()
    if "--stale" in sys.argv:
        writer.writerows((*key, known[key].verdict, known[key].why) for key in stale())
        return
    for engine in engines():
        result = lint_of(engine)
        if result is None:
            continue
        state = "" if result.diagnosis is None else result.diagnosis.state
        if result.diagnosis is not None and (engine, state) not in diagnosis_judgments():
            print(f"diagnoses.csv: {engine},{state}: {result.diagnosis.text}", file=sys.stderr)
        findings = list(fold_similar(result.findings)) if "--all" in sys.argv else list(shown(result))
        keys = [key_of(engine, finding) for finding in findings]
        for key, finding in zip(keys, findings, strict=True):
            if verdict_of(key, keys, known) is None:
                writer.writerow((*key, "", ""))
                saving = f"{finding.likely_savings_ms:.4f} ms: " if finding.likely_savings_ms is not None else ""
                print(f"{engine} {finding.code} {saving}{finding.message}", file=sys.stderr)


main()
