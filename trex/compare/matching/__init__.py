"""Match the layers of two engines: which layers do the same work, by which evidence, and with what confidence."""
