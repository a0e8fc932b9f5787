"""What the color of a layer can show; one file, one coloring."""
