"""Opens an engine in Model Explorer with its node data.

python -m trex.model_explorer out/
python -m trex.model_explorer out/ --base before/ --port 8080
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from trex.core.errors import TrexError, missing_extra
from trex.model_explorer.conversion import CHANGE, DATA, load, node_data
from trex.model_explorer.main import ADAPTER, EXTENSIONS
from trex.plan.engine_plan import EnginePlan


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m trex.model_explorer", description="Open an engine in Google's Model Explorer."
    )
    parser.add_argument("engine", help="a folder, a file of the engine, or a .tea archive")
    parser.add_argument("--base", default="", help="another engine of the same model, for colors by change")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--no-browser", action="store_true", help="start the server only")
    options = parser.parse_args(argv)
    try:
        return show(options.engine, options.base, options.port, not options.no_browser)
    except TrexError as error:
        print(f"trex: {error}", file=sys.stderr)
        return 2


def show(engine: str, base: str, port: int, in_browser: bool) -> int:
    if not EXTENSIONS:
        raise missing_extra("ai-edge-model-explorer", "model-explorer", "showing engines in Model Explorer")
    from model_explorer import config, server

    plan, before = load(engine), load(base) if base else None
    chosen = config()
    chosen.add_model_from_path(str(_file(engine, plan).resolve()), ADAPTER)
    for name in DATA:
        if name != CHANGE or before is not None:
            graph, data = node_data(plan, name, before)
            chosen.add_node_data(name, json.dumps({graph: data}))
    server.start(port=port, config=chosen, extensions=["trex.model_explorer"], no_open_in_browser=not in_browser)
    return 0


def _file(engine: str, plan: EnginePlan) -> Path:
    """Model Explorer takes files only, by their endings: of a folder the layer information, or the archive."""
    if not Path(engine).is_dir() or plan.files is None:
        return Path(engine)
    return Path(plan.files.archive or plan.files.graph or plan.files.paths[0])


if __name__ == "__main__":
    sys.exit(main())
