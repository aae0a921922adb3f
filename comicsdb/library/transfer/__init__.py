"""Libraries as files: reading, matching, storing and writing them, in our own formats and other sites'."""
