"""Kinds of layers, one file each: the work of a layer of the kind."""
