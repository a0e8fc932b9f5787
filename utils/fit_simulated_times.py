#!/usr/bin/env python3
"""Fits the times of the simulated builder to real engines: writes ``trex/simulator/timing/fitted.json``.

Reads engines with profiles from ``../shared/engines`` or TREX_SHARED/engines, one folder each. ``--judge`` prints how
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

from tests.simulator.timing.real_engines import measured_engines  # noqa: E402
from trex.simulator.timing.constants import FILE  # noqa: E402
from trex.simulator.timing.document import document_text, fitted_document, table  # noqa: E402

SHARED = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared"))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--judge", action="store_true", help="write nothing; print the accuracy of predictions")
    parser.add_argument("--engines", type=Path, default=SHARED / "engines", help="folder of real engines")
    options = parser.parse_args(arguments)
    if not options.engines.is_dir():
        print(f"no engines in {options.engines}: the constants stay as they are")
        return 0
    measured, left_out = measured_engines(options.engines)
    if not measured:
        print(f"no engine in {options.engines} has layer times and a known GPU: the constants stay as they are")
        return 0
    document, judgments = fitted_document(measured, date.today().isoformat())
    print(table(judgments))
    for line in left_out:
        print(line)
    if not options.judge:
        FILE.write_text(document_text(document), encoding="utf-8")
        print(f"written: {FILE.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
