"""Engines side by side: their facts, layers and sums in tables and plots, as TREx's comparison shows them."""
