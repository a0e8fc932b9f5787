"""Floor 0: the types that all floors share: shapes, tensors, layers, engines, times, notes and errors."""
