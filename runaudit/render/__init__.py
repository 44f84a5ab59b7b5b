"""One module per output format, all from one report."""
