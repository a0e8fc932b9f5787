"""Example networks: one file is one network, found by the registry of ``trex.examples.network``."""
