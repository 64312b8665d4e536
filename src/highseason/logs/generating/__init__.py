"""Logs made up after the facts known of the Yahoo! front page, with the truth beside them."""
