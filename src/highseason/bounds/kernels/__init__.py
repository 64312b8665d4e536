"""The loops of the bounds that run over arms and turns; compiled at first use."""
