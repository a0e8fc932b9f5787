"""Writes a plug's file and its test: a quirk, a rule, a device …

    python utils/new.py quirk no-bindings      writes trex/ingest/quirks/no_bindings.py and its test
    python utils/new.py engine bundle.zip      makes a test engine of a reported bundle (trex doctor --bundle)
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
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["engine"] and len(words) > 1:
        return new_engine(words[1:], root)
    kinds = scaffolds()
    parser = argparse.ArgumentParser(
        description="Write a plug's file and its test.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kinds:\n"
        + "\n".join(f"  {kind:<18} {summary}" for kind, (summary, _) in kinds.items())
        + "\n  engine             A test engine: NAME is a bundle that trex doctor --bundle wrote.",
    )
    parser.add_argument("kind", choices=kinds, metavar="KIND", help="what to add")
    parser.add_argument("name", metavar="NAME", help="its name: lower-case words joined by hyphens")
    arguments = parser.parse_args(words)
    scaffold = kinds[arguments.kind][1]
    try:
        files = scaffold.write(arguments.name, root)
    except (FileExistsError, ValueError) as error:
        parser.error(str(error))
    plug, test = (file.relative_to(root).as_posix() for file in files)
    print(f"{plug}\n{test}\nthen: python utils/write_docs.py && python -m pytest {' '.join((test, *scaffold.related))}")
    return 0


def new_engine(words: Sequence[str], root: Path) -> int:
    """Unpacks a bundle below tests/reported, with what comes out of it today as its expectation."""
    from tests.reported import add_bundle
    from trex.core.errors import TrexError

    parser = argparse.ArgumentParser(prog="new.py engine", description="Make a test engine of a reported bundle.")
    parser.add_argument("bundle", type=Path, help="what trex doctor --bundle or --acceptance wrote")
    parser.add_argument("--as", dest="name", default="", help="its name (default: reported-HASH)")
    arguments = parser.parse_args(words)
    try:
        folders = add_bundle(arguments.bundle, arguments.name, root / "tests" / "reported")
    except (OSError, TrexError, ValueError) as error:
        parser.error(str(error))
    for folder in folders:
        print(folder.relative_to(root).as_posix())
    print("expected.json has what is read today: correct it, then: python -m pytest tests/test_every_engine.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
