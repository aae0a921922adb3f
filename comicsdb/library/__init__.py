"""What readers keep and say: stars, collections, pull, wish and reading lists; one service each."""
