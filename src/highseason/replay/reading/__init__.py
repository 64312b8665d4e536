"""Logs of other people's making, read into events and kept as one Parquet file."""
