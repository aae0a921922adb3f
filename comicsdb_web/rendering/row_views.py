"""Objects as pages show them, made from the rows of one statement instead of by a session.

They have the columns that the statement asks for, and labels and averages as the models have them.
"""

from collections.abc import Mapping
from datetime import date, datetime

from comicsdb.catalog.kinds import KINDS
from comicsdb.models import Issue, Series

# Columns that are texts in JSON.
PARSERS = {
    **dict.fromkeys(("cover_date", "store_date", "foc_date"), date.fromisoformat),
    "created_on": datetime.fromisoformat,
}


TRANSLATIONS = ("names", "titles", "contents")


class RowView:
    """An object of a kind that is called by its name, or something that has no page of its own.

    `columns` are the values it was made from.
    """

    @property
    def label(self) -> str:
        """The label that the model makes."""
        return KINDS[self.__tablename__].model.label.fget(self)

    def __init__(self, kind: str, values: Mapping):
        vars(self).update(values, __tablename__=kind, columns=values)


class ShownSeries(RowView):
    """A series; needs `series_type` to be called anything."""

    number_mark = Series.number_mark
    average_rating = Series.average_rating


class ShownIssue(RowView):
    """An issue; needs its `series` to be called anything."""

    average_rating = Issue.average_rating
    is_released, is_foc_past_due = Issue.is_released, Issue.is_foc_past_due


SHOWN = {"series": ShownSeries, "issue": ShownIssue}


def shown(kind: str, values: Mapping) -> RowView:
    """The object of a kind with these columns; those that are JSON objects are named by their kinds,
    but for translations."""
    view = SHOWN.get(kind, RowView)(kind, values)
    for name, value in values.items():
        if type(value) is dict and name not in TRANSLATIONS:
            setattr(view, name, shown(name, value))
        elif type(value) is str and name in PARSERS:
            setattr(view, name, PARSERS[name](value))
    return view
