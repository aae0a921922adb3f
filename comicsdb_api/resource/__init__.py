"""Resources: reading, listing, filtering and writing objects of any kind."""
