"""Steps of one kind → their record in the engine inspector, one kind per file: each defines ``ENTRY``."""
