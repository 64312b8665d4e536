"""The compiled loops of `logs`: lines in, lines out, events made up."""
