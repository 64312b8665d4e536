"""Prices on one demand curve: settings, demands of ours, and what policies lose in them."""
