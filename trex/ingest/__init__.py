"""Floor 1 — bytes become an Engine: the only floor that knows how TensorRT spells things."""
