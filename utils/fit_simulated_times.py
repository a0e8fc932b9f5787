#!/usr/bin/env python3
"""Fits the simulated builder's times to real engines and writes ``trex/simulator/timing/fitted.json``.

Reads engines with profiles from ``../shared/engines`` or TREX_SHARED/engines, one folder each. ``--dry-run`` prints how
well each engine is predicted by constants that were fitted without it, and writes nothing. Exit code 0, also without
engines.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from trex.simulator.real_engines import measured_of, real_plans  # noqa: E402
from trex.simulator.timing.constants import FILE  # noqa: E402
from trex.simulator.timing.fitted_file import document_text, fitted_document, scores_text  # noqa: E402

SHARED = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared"))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dry-run", action="store_true", help="write nothing; print the accuracy of predictions")
    parser.add_argument("--engines", type=Path, default=SHARED / "engines", help="folder of real engines")
    options = parser.parse_args(arguments)
    if not options.engines.is_dir():
        print(f"no engines in {options.engines}: the constants stay as they are")
        return 0
    measured, left_out = measured_of(real_plans(options.engines))
    if not measured:
        print(f"no engine in {options.engines} has layer times and a known GPU: the constants stay as they are")
        return 0
    document, scores = fitted_document(measured, date.today().isoformat())
    print(scores_text(scores))
    for line in left_out:
        print(line)
    if not options.dry_run:
        FILE.write_text(document_text(document), encoding="utf-8")
        print(f"written: {FILE.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
