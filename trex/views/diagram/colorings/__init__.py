"""What the colour of a layer can tell; one file, one colouring."""
