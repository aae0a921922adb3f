"""Import of the data that the Grand Comics Database publishes: `comicsdb import-gcd`."""
