#!/usr/bin/env python3
"""Fits the times of the simulated builder to real engines: writes ``trex/simulator/timing/fitted.json``.

The engines lie beside the repository (``../shared/engines``, or TREX_SHARED/engines): one folder each, with its
profile. ``--judge`` only prints how well engines are predicted by constants that have not seen them, and writes
nothing. Exit codes: 0 written, printed, or no engines there (which it says).
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
    parser.add_argument("--judge", action="store_true", help="write nothing; print how well engines are predicted")
    parser.add_argument("--engines", type=Path, default=SHARED / "engines", help="folder of real engines")
    options = parser.parse_args(arguments)
    if not options.engines.is_dir():
        print(f"there are no real engines at {options.engines}: nothing is fitted, the constants stay as they are")
        return 0
    measured, left_out = measured_of(real_plans(options.engines))
    if not measured:
        print(f"no engine there tells its times and its GPU: nothing is fitted ({options.engines})")
        return 0
    document, scores = fitted_document(measured, date.today().isoformat())
    print(scores_text(scores))
    for line in left_out:
        print(line)
    if not options.judge:
        FILE.write_text(document_text(document), encoding="utf-8")
        print(f"written: {FILE.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
