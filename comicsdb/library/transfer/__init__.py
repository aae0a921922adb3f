"""Import and export of libraries, in our own formats and those of other sites."""
