"""Floor 0 — the words everything speaks: types, shapes, tensors, layers, engines, times, notes and errors."""
