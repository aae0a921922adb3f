"""Editing on the site: the forms of all kinds, their rows, and edit conflicts.

`fields` and `rows` declare the forms, `drafts` holds the state of one, `editing` has the views.
"""


def includeme(config):
    """Add the routes that forms request while they are filled in."""
    config.include(".row_fragment")
