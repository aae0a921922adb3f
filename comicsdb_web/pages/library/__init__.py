"""The pages of what readers keep: collection, pull list, wish list, imports and feeds."""
