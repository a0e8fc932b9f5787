"""Damaged text → values: what a strict parser refuses, read as far as it makes sense, every repair noted."""
