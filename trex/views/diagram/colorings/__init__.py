"""What the color of a layer can tell; one file, one coloring."""
