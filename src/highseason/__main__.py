"""`python -m highseason`, for where the `highseason` script is not on the path."""

from highseason.cli import main

main()
