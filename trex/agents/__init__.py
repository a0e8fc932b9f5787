"""Agents: read-only tools over documents, served by ``trex mcp``."""
