"""Plot → the description of a plotly figure, one kind of plot in one file; plotly itself is not needed for that."""
