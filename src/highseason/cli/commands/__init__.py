"""One command a file; a file's name is the command's, and its `command` is what click runs."""
