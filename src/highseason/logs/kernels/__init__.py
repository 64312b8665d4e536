"""The compiled loops of `logs`: cutting Yahoo! lines, generating events."""
