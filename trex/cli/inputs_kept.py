"""No command writes over a file that it reads, or over one of a run store: that cannot be undone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.options import option_fields
from trex.core.read_files import forget_read, replaced_input

_OUTPUTS = ("output", "save", "svg", "bundle", "best_of_each", "record_tactics")


def check_inputs_are_kept(options: Any) -> None:
    """Raises TrexError for an output option that names an input, a file of an engine in a folder that is one, or what a
    run store has written.

    Before any work; of every other file that was read, ``write_output`` finds out.
    """
    forget_read()
    names = [field.name for field in option_fields(type(options))]
    outputs = [str(getattr(options, name)) for name in names if name in _OUTPUTS and getattr(options, name)]
    outputs = [path for path in outputs if os.path.isfile(path)]  # noqa: PTH113 (Path raises for long names)
    for output in outputs:
        refuse_store(output)
    if not outputs:
        return
    for name in names:
        value = getattr(options, name)
        for word in (value if isinstance(value, (tuple, list)) else (value,)) if name not in _OUTPUTS else ():
            for path in _read(word) if isinstance(word, str) else ():
                for output in outputs:
                    with suppress(OSError, ValueError):
                        if os.path.samefile(path, output):  # noqa: PTH121
                            raise replaced_input(output)


def refuse_store(output: str) -> None:
    """Raises TrexError for a file of a run store."""
    from trex.store.layout import STORE_FILE, is_of_store

    for above in Path(os.path.realpath(output)).parents:
        if os.path.isfile(above / STORE_FILE) and is_of_store(output, str(above)):  # noqa: PTH113
            raise TrexError("a run store has written this file", "name another", output)


def _read(word: str) -> Iterator[str]:
    """The files that are read for a path."""
    from trex.ingest.finding.engine_files import SLOTS
    from trex.plan.loading import find_plans

    yield word
    if os.path.isdir(word):  # noqa: PTH112
        with suppress(TrexError):  # the command says it
            for files in find_plans(word):
                yield from (path for slot in SLOTS if (path := getattr(files, slot)))
