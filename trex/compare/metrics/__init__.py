"""The metrics of the gate, one file each."""
