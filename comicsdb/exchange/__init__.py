"""Import and export of data sets: folders of JSON Lines files and pictures."""
