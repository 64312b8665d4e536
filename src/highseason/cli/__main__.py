"""`python -m highseason.cli`, for where the `highseason` script is not on the path."""

from highseason.cli import main

main()
