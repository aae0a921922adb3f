"""Read-only substitutes for models, built from the rows of one statement instead of by a session.

They have the columns that the statement selects, and the labels and averages of their models.
"""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal

from comicsdb.catalog.kinds import KINDS
from comicsdb.models import Issue, Series

# Parsers of columns that JSON has as text.
PARSERS = {
    **dict.fromkeys(("cover_date", "store_date", "foc_date"), date.fromisoformat),
    "created_on": datetime.fromisoformat,
    "price": Decimal,
}
LISTS = {"roles": "role"}  # the kinds of objects in JSON lists

TRANSLATIONS = ("names", "titles", "contents")


class RowView:
    """A row as an object with attributes; `columns` are the values it was built from."""

    @property
    def label(self) -> str:
        """The label, by the property of the model."""
        return KINDS[self.__tablename__].model.label.fget(self)

    def __init__(self, kind: str, values: Mapping):
        vars(self).update(values, __tablename__=kind, columns=values)


class SeriesRowView(RowView):
    """A series; its label needs `series_type`."""

    number_mark = Series.number_mark
    average_rating = Series.average_rating


class IssueRowView(RowView):
    """An issue; its label needs `series`."""

    average_rating = Issue.average_rating
    is_released, is_foc_past_due = Issue.is_released, Issue.is_foc_past_due


ROW_VIEWS = {"series": SeriesRowView, "issue": IssueRowView}


def row_view(kind: str, values: Mapping) -> RowView:
    """The view of a row; JSON objects in it become views too, by their names, except translations.

    So do the objects of its `LISTS`.
    """
    view = ROW_VIEWS.get(kind, RowView)(kind, values)
    for name, value in values.items():
        if type(value) is dict and name not in TRANSLATIONS:
            setattr(view, name, row_view(name, value))
        elif type(value) is str and name in PARSERS:
            setattr(view, name, PARSERS[name](value))
        elif name in LISTS:
            setattr(view, name, [row_view(LISTS[name], each) for each in value])
    return view
