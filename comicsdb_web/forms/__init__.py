"""Editing on the site: the forms of all kinds, their rows, autocomplete, and edit conflicts.

`fields` and `kinds` declare the forms, `drafts` holds one while it is filled in, `view` has the verbs.
"""


def includeme(config):
    """Add the addresses that forms request while they are filled in."""
    config.include(".autocomplete")
    config.include(".row_view")
