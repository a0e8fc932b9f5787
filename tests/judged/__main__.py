"""``python -m tests.judged``: findings without a verdict, as rows for findings.csv to be filled in.

Their messages are on standard error. With ``--all``, findings that lint counts without printing them, too.
"""

from __future__ import annotations

import csv
import sys

from tests.judged.engines import lint_of
from tests.judged.judgments import engines, judgments, key_of, shown
from trex.rules.similar import fold_similar
from trex.views.findings import is_small


def main() -> None:
    writer, known = csv.writer(sys.stdout, lineterminator="\n"), judgments()
    for engine in engines():
        result = lint_of(engine)
        if result is None:
            continue
        large = [finding for finding in fold_similar(result.findings) if not is_small(finding)]
        for finding in large if "--all" in sys.argv else shown(result):
            key = key_of(engine, finding)
            if key not in known:
                writer.writerow((*key, "", ""))
                saving = f"{finding.likely_savings_ms:.4f} ms: " if finding.likely_savings_ms is not None else ""
                print(f"{engine} {finding.code} {saving}{finding.message}", file=sys.stderr)


main()
