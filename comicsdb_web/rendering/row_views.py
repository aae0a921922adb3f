"""Objects as a page shows them, made of what one statement tells instead of by a session.

They have the columns that the statement asks for, and labels and averages as the models have them.
"""

from comicsdb.models import Issue, Series, Universe
from comicsdb.models.base import Entity


class RowView:
    """An object of a kind that is called by its name, or something that has no page of its own."""

    label = Entity.label

    def __init__(self, kind: str, values: dict):
        vars(self).update(values, __tablename__=kind)


class ShownUniverse(RowView):
    """A universe."""

    label = Universe.label


class ShownSeries(RowView):
    """A series; needs `series_type` to be called anything."""

    label, number_mark = Series.label, Series.number_mark


class ShownIssue(RowView):
    """An issue; needs its `series` to be called anything."""

    label, average_rating = Issue.label, Issue.average_rating
    is_released, is_foc_past_due = Issue.is_released, Issue.is_foc_past_due


KINDS = {"universe": ShownUniverse, "series": ShownSeries, "issue": ShownIssue}


def shown(kind: str, values: dict) -> RowView:
    """The object of a kind with these columns."""
    return KINDS.get(kind, RowView)(kind, values)
