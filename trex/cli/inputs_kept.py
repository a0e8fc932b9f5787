"""No command writes over a file that it reads: a new picture in the place of the engine's graph cannot be undone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from trex.core.errors import TrexError
from trex.core.options import option_fields

_OUTPUTS = ("output", "save", "bundle", "best_of_each")


def check_inputs_are_kept(options: Any) -> None:
    """Raises TrexError for an output option that names an input, or a file of an engine in a folder that is one."""
    names = [field.name for field in option_fields(type(options))]
    outputs = [str(getattr(options, name)) for name in names if name in _OUTPUTS and getattr(options, name)]
    outputs = [path for path in outputs if os.path.isfile(path)]  # noqa: PTH113 (Path raises for long names)
    if not outputs:
        return
    for name in names:
        value = getattr(options, name)
        for word in (value if isinstance(value, (tuple, list)) else (value,)) if name not in _OUTPUTS else ():
            for path in _read(word) if isinstance(word, str) else ():
                for output in outputs:
                    with suppress(OSError, ValueError):
                        if os.path.samefile(path, output):  # noqa: PTH121
                            raise TrexError("the command reads this file, and would replace it", "name another", output)


def _read(word: str) -> Iterator[str]:
    """The files that are read for a path."""
    from trex.ingest.finding.engine_files import SLOTS
    from trex.plan.loading import find_plans

    yield word
    if os.path.isdir(word):  # noqa: PTH112
        with suppress(TrexError):  # the command says it
            for files in find_plans(word):
                yield from (path for slot in SLOTS if (path := getattr(files, slot)))
