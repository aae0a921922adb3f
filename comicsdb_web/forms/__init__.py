"""Editing on the site: the forms of all kinds, their rows, autocomplete, and two people who save at once.

`fields` and `kinds` declare the forms, `drafts` holds one while it is filled in, `view` has the verbs.
"""


def includeme(config):
    """What forms ask for while they are filled in."""
    config.include(".autocomplete")
    config.include(".row_view")
