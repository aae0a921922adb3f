"""Data sets: folders of JSON-lines files and pictures that the catalogue is filled from and written to."""
