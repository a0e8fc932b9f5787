"""Floor 5: lint. Rules report findings; lint ranks them by estimated savings. One rule, one file in ``builtin``."""
