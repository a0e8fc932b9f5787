"""An engine of several optimization profiles → that of one: the profile asked for, else the one that the run used."""

from __future__ import annotations

from dataclasses import replace

from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.tensor import of_binding
from trex.core.timings import LayerTimes
from trex.ingest.spelling.layer_names import profile_suffix
from trex.plan.time_notes import ONE_RUN, OTHER_PROFILE, TWO_RUNS


def one_profile(
    engine: Engine, profile_id: int | None, metadata: Metadata | None, layer_times: LayerTimes | None
) -> tuple[Engine, tuple[Note, ...]]:
    """The profile asked for, else the one that the run used, else the first."""
    profiles = engine.profiles
    used = None if metadata is None else _used_profile(metadata)
    used = _profile_of_records(layer_times) if used is None else used
    if used is None and profile_id is None:
        used = _profile_with_names(engine, layer_times)
    missing = _missing_profile(engine, used)
    if profile_id is None:
        if len(profiles) < 2:
            return engine, missing
        shown = used if used in profiles else profiles[0]
        other = next(profile for profile in reversed(profiles) if profile != shown)
        note = Note(
            "several-profiles",
            f"the engine has {len(profiles)} optimization profiles; this plan shows profile {shown}"
            + (", which the run used" if shown == used else ""),
            f"choose another with profile_id={other} (trex: --profile-id {other})",
            engine.source,
            "info",
        )
        return _part(engine, shown), (note, *missing)
    if profile_id not in profiles:
        listed = ", ".join(map(str, profiles[:20])) or "none"
        raise TrexError(
            f"the engine has no optimization profile {profile_id}", f"profiles with layers: {listed}", engine.source
        )
    records = () if layer_times is None else layer_times.records
    is_own = any(profile_suffix(record.name)[1] == profile_id for record in records)
    if used in profiles and used != profile_id and not is_own:
        message = f"the run used optimization profile {used}: its times are not those of profile {profile_id}"
        hint = f"profile that one: trtexec --loadEngine=FILE --useProfile={profile_id}"
        return _part(engine, profile_id), (Note(OTHER_PROFILE, message, hint, engine.source, "problem"),)
    if layer_times is not None and used in profiles and used != profile_id == _profile_of_records(layer_times):
        message = f"the run used optimization profile {used}, the layer profile is of {profile_id}: these are two runs"
        return _part(engine, profile_id), (Note(TWO_RUNS, message, ONE_RUN, layer_times.source, "problem"),)
    return _part(engine, profile_id), missing


def _missing_profile(engine: Engine, used: int | None) -> tuple[Note, ...]:
    """A Note if the run used a profile that no layer is of. Its times are joined: an export of one profile's layers may
    not say which.
    """
    if used is None or not engine.profiles or used in engine.profiles:
        return ()
    listed = ", ".join(map(str, engine.profiles[:20]))
    message = f"the run used optimization profile {used}, the graph has layers of {listed}: they may be of two engines"
    hint = f"export the graph and the times in one run: trtexec --loadEngine=FILE --useProfile={used:d}"
    return (Note("profile-without-layers", message, hint, engine.source),)


def profile_of_run(engine: Engine, metadata: Metadata) -> int:
    """The profile that the run used, else the first of the engine's layers."""
    used = _used_profile(metadata)
    return used if used is not None else next(iter(engine.profiles), 0)


def _used_profile(metadata: Metadata) -> int | None:
    """As trtexec 9.0 and later report it."""
    text = str(metadata.inference_options.get("Optimization Profile Index", "")).strip()
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _profile_of_records(layer_times: LayerTimes | None) -> int | None:
    """The profile that all records of a layer profile name, but for Myelin's, which often name none; None without
    records, and for names of none or several.
    """
    names = () if layer_times is None else tuple(record.name for record in layer_times.records)
    named = {number for name in names if (number := profile_suffix(name)[1]) is not None or "_myl" not in name}
    return named.pop() if len(named) == 1 else None


def _profile_with_names(engine: Engine, layer_times: LayerTimes | None) -> int | None:
    """The profile whose layers have most names of the records, which trtexec may export without suffixes: Myelin's
    regions are numbered apart. None where several have as many.
    """
    names = () if layer_times is None else tuple(record.name for record in layer_times.records)
    if any(profile_suffix(name)[1] is not None for name in names):
        return None
    counts: dict[int, int] = {}
    for profile in engine.profiles:
        own = {profile_suffix(layer.name)[0] for layer in engine.layers if layer.profile == profile}
        counts[profile] = sum(name in own for name in names)
    best = [profile for profile, count in counts.items() if count == max(counts.values())]
    return best[0] if len(best) == 1 < len(counts) else None


def _part(engine: Engine, profile: int) -> Engine:
    """One profile's layers, with the bindings as these layers see them: profiles may fix different dimensions."""
    part = engine.for_profile(profile)
    if part is engine:
        return engine
    read = {tensor.name: tensor for layer in reversed(part.layers) for tensor in layer.inputs}
    written = {tensor.name: tensor for layer in part.layers for tensor in layer.outputs}
    bindings = []
    for binding in engine.bindings:
        seen = (read if binding.is_input else written).get(binding.name)
        if seen is not None:
            own = None if binding.tensor is None else binding.tensor.shape
            has_other_rank = own is not None and seen.shape is not None and len(own) != len(seen.shape)
            binding = replace(binding, tensor=of_binding(own if has_other_rank else None, seen))
        bindings.append(binding)
    return replace(part, bindings=tuple(bindings))
