"""Quirks — one file, one quirk: how some TensorRT release or tool spells things, and what it means."""
