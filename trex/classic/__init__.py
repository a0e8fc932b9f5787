"""What only code written for NVIDIA's TREx needs; the public files re-export it, no floor imports it."""
