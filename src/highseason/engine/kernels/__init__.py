"""Whole games as machine code: one kernel a rule, and a generic one for any rule."""
