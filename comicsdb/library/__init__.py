"""The library of readers: ratings, collection, pull list, wish list, reading lists and feeds."""
