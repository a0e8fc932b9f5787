#!/usr/bin/env python3
"""Prints the tactics of an engine and their share of the time; a thin launcher. ``trex summary`` prints more.

python3 utils/summarize_engine.py out/resnet.graph.json --profiling_json out/resnet.profile.json --sort_key latency
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.cli.console import print_notes, read_to_the_end
from trex.engine_plan import EnginePlan, TrexError
from trex.export.text_table import table_text
from trex.views.summary import SORT_KEYS, tactics_table

__all__ = ["summarize_engine"]


def summarize_engine(
    engine_json_fname: str,
    profiling_json_fname: str | None = None,
    group_tactics: bool = False,
    sort_key: str = "count",
) -> str:
    """Prints the table and returns it: one row per layer, or per tactic with group_tactics. What is wrong with the
    files goes to standard error.

    sort_key: ``count`` (of layers that use the tactic), ``latency`` or ``id`` (order of first use). Raises TrexError.
    """
    if sort_key not in SORT_KEYS:
        raise TrexError(f"there is no sort key {sort_key!r}", f"one of {', '.join(SORT_KEYS)}")
    plan = EnginePlan(engine_json_fname, profiling_json_fname)
    print_notes(note for note in plan.notes if note.severity != "info")
    text = table_text(tactics_table(plan, sort_key, group_tactics))
    print(text, end="" if text.endswith("\n") else "\n")
    return text


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("input", help="the engine's graph JSON")
    parser.add_argument("--profiling_json", "-pj", help="its layer profile")
    parser.add_argument("--sort_key", "-sk", default="count", choices=SORT_KEYS)
    parser.add_argument("--group_tactics", "-gt", action="store_true", help="one row per tactic")
    options = parser.parse_args(argv)
    try:
        summarize_engine(options.input, options.profiling_json, options.group_tactics, options.sort_key)
    except TrexError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    with read_to_the_end():
        sys.exit(main())
