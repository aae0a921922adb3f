"""SQL expressions for the labels of series, issues and universes, so that these need not be loaded."""

from enum import Enum

from sqlalchemy import String, case, cast, literal_column

from comicsdb.models.choices import SeriesTypeCode
from comicsdb.models.series import LABEL_INFIX, LABEL_SUFFIX


def constant(word: str | Enum):
    """A constant in SQL, as part of the statement instead of a parameter."""
    value = word.value if isinstance(word, Enum) else word
    if isinstance(value, int):
        return literal_column(str(value))
    return literal_column("'" + value.replace("'", "''") + "'", String)


def label_for_code(column, words: dict, otherwise: str = ""):
    """The word for a code in a column of choices."""
    pairs = ((column == constant(code), constant(word)) for code, word in words.items())
    return case(*pairs, else_=constant(otherwise))


def series_label(series, series_type):
    """The display name of a series, equal to `Series.label` in Python."""
    return (
        series.c.name
        + label_for_code(series_type.c.code, LABEL_INFIX)
        + constant(" (")
        + cast(series.c.year_began, String)
        + constant(")")
        + label_for_code(series_type.c.code, LABEL_SUFFIX)
    )


def issue_label(issue, series, series_type):
    """The display name of an issue, equal to `Issue.label` in Python."""
    mark = label_for_code(series_type.c.code, {SeriesTypeCode.DIGITAL_CHAPTER: " Chapter #"}, " #")
    return series_label(series, series_type) + mark + issue.c.number


def universe_label(universe):
    """The display name of a universe, equal to `Universe.label` in Python."""
    adds = universe.c.designation.not_in((constant(""), universe.c.name))
    return case((adds, universe.c.name + constant(" — ") + universe.c.designation), else_=universe.c.name)
