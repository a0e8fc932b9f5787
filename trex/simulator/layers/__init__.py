"""Steps of one kind → what the engine inspector tells of them, one kind one file: each defines ``ENTRY``."""
