"""What comes in by HTTP, before anything is made of it."""
