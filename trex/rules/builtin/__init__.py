"""Rules, one file each."""
