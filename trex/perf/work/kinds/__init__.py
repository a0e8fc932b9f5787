"""Kinds of layers, one file each: how much work a layer of the kind is."""
