"""Addresses of engines → runs of a store, read on Dask workers: for 100 000 folders.

What is in the store already is looked up by the hashes of its files and not read again, so an interrupted command goes
on when it runs again. A folder that can't be read, or whose reading ends its worker, is listed with its error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.printable import printable
from trex.core.steps import in_steps
from trex.store.adding import AddedRuns, AddOptions, FailedAddress, add_addresses, add_folder, folders_below
from trex.store.run_store import RunStore
from trex.store.storage import is_address
from trex.sweep.cluster import answers_in_order


def add_on_workers(client: Any, store: RunStore, addresses: tuple[str, ...], options: AddOptions) -> AddedRuns:
    """As ``add_addresses``. Workers see the store's folder, and local addresses.

    Raises TrexError where they can't write into the store.
    """
    units = [unit for address in addresses for unit in _units(address, options)]
    root = str(Path(store.storage.where).resolve())
    added = answers_in_order(client, partial(_add_unit, root, options), units, _result)
    result = AddedRuns.of(in_steps("folder", added, len(units)))
    store.refresh()
    return result


def _units(address: str, options: AddOptions) -> Iterator[str]:
    """Every folder below one that is recursive; anything else is one unit."""
    if not options.is_recursive:
        yield address if is_address(address) or not Path(address).exists() else str(Path(address).absolute())
    elif is_address(address):
        yield from _folders_behind(address)
    elif os.path.isdir(address):  # noqa: PTH112
        yield from folders_below(str(Path(address).absolute()))
    else:
        yield address


def _folders_behind(address: str) -> Iterator[str]:
    """Folders with files behind an fsspec address. Raises TrexError if it can't be listed."""
    try:
        import fsspec

        system, root = fsspec.core.url_to_fs(address)
        system.invalidate_cache()  # what this process listed before
        folders = {path.rpartition("/")[0] for path in system.find(root)}
    except Exception as error:  # each file system raises errors of its own
        message = f"the address can't be listed: {printable(str(error))[:300]}"
        raise TrexError(message, "check it, and the package it needs", address) from None
    yield from (str(system.unstrip_protocol(folder)) for folder in sorted(folders))


def _result(unit: str, future: Any) -> AddedRuns:
    try:
        result: AddedRuns = future.result()
        return result
    except TrexError:
        raise
    except Exception as error:  # its worker died of it, or a bug
        message = f"{type(error).__name__}: {printable(str(error))[:300]}"
        return AddedRuns(failed=(FailedAddress(unit, message),))


def _add_unit(root: str, options: AddOptions, unit: str) -> AddedRuns:
    """On a worker."""
    store = RunStore.open(root)
    if is_address(unit) or not Path(unit).exists():
        return add_addresses(store, (unit,), replace(options, is_recursive=False))
    return add_folder(store, unit, options)
