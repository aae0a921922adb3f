"""The pages of a reader's library: collection, pull list, wish list, imports and feeds."""
