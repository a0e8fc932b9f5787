"""Writes a plug's file and its test: a quirk, a rule, a device …

    python utils/new.py quirk no-bindings      writes trex/ingest/quirks/no_bindings.py and its test
    python utils/new.py --help                 lists all kinds

What it writes works and passes its test: replace its words. No other file needs a change: the registry finds the plug,
and utils/write_docs.py prints its docstring. An existing file is never overwritten. A new kind of plugs is one file of
utils/scaffolds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from utils.scaffold import scaffolds  # noqa: E402


def main(argv: Sequence[str] | None = None, root: Path = ROOT) -> int:
    kinds = scaffolds()
    parser = argparse.ArgumentParser(
        description="Write a plug's file and its test.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kinds:\n" + "\n".join(f"  {kind:<18} {summary}" for kind, (summary, _) in kinds.items()),
    )
    parser.add_argument("kind", choices=kinds, metavar="KIND", help="what to add")
    parser.add_argument("name", metavar="NAME", help="its name: lower-case words joined by hyphens")
    arguments = parser.parse_args(argv)
    scaffold = kinds[arguments.kind][1]
    try:
        files = scaffold.write(arguments.name, root)
    except (FileExistsError, ValueError) as error:
        parser.error(str(error))
    plug, test = (file.relative_to(root).as_posix() for file in files)
    print(f"{plug}\n{test}\nthen: python utils/write_docs.py && python -m pytest {' '.join((test, *scaffold.related))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
