"""Which layers of two engines do the same work, by names, data, order and shapes; and how sure that is."""
