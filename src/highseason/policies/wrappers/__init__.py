"""Wrappers: policies around policies.  The plan stays the inner one's, the rule is changed."""
