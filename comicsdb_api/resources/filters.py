"""Filters that several kinds share; their conditions are declared in `comicsdb.catalog.filters`."""

from comicsdb.catalog.filters import Condition, base_conditions, greater
from comicsdb_api.resource.filters import (
    BooleanFilter,
    Filter,
    IdListFilter,
    IntegerFilter,
    IntegerListFilter,
    LaterThanFilter,
)

Conditions = dict[str, Condition]


def modified_filters(table) -> tuple[Filter, ...]:
    """The filter by the time of the last change."""
    return (LaterThanFilter("modified_gt", Condition(greater, table.c.modified), "time of the last change"),)


def external_id_filters(by: Conditions) -> tuple[Filter, ...]:
    """Filters by ids in other databases."""
    return (
        IdListFilter("cv_id", by["cv_id"], "id at Comic Vine"),
        IdListFilter("gcd_id", by["gcd_id"], "id at the Grand Comics Database"),
    )


def missing_id_filters(by: Conditions) -> tuple[Filter, ...]:
    """Filters for objects without these ids."""
    return (
        BooleanFilter("missing_cv_id", by["missing_cv_id"], "the id at Comic Vine"),
        BooleanFilter("missing_gcd_id", by["missing_gcd_id"], "the id at the Grand Comics Database"),
    )


def name_filters(model) -> tuple[Filter, ...]:
    """The filters of a kind that needs no others: by name, ids in other databases, last change."""
    by = base_conditions(model)
    ids = external_id_filters(by) if "cv_id" in by else ()
    return (Filter("name", by["name"], "the name"), *ids, *modified_filters(model.__table__))


def series_filters(by: Conditions, prefix: str = "") -> tuple[Filter, ...]:
    """Filters for series, and for issues by their series."""
    alt_names = "the alternative names of the series, joined by spaces"
    return (
        Filter(f"{prefix}name", by[f"{prefix}name"], "the name of the series"),
        Filter(f"{prefix}alt_names", by[f"{prefix}alt_names"], alt_names),
        Filter(f"{prefix}q", by[f"{prefix}q"], "the name or the alternative names of the series"),
        IntegerFilter(f"{prefix}volume", by[f"{prefix}volume"], "volume of the series"),
        IntegerFilter(f"{prefix}year_began", by[f"{prefix}year_began"], "first year of the series"),
        IntegerFilter("publisher_id", by["publisher_id"], "id of the publisher"),
        Filter("publisher_name", by["publisher_name"], "the name of the publisher"),
        IntegerFilter("imprint_id", by["imprint_id"], "id of the imprint"),
        Filter("imprint_name", by["imprint_name"], "the name of the imprint"),
        IntegerListFilter("genre_id", by["genre_id"], "genres of the series"),
        Filter("genre", by["genre"], "the name of a genre of the series"),
    )


def content_filters(by: Conditions) -> tuple[Filter, ...]:
    """Filters by the creators, characters, teams and universes of issues."""
    return (
        IntegerFilter("creator_id", by["creator_id"], "id of a creator in the credits"),
        IntegerListFilter("role_id", by["role_id"], "roles in the credits"),
        IntegerFilter("character_id", by["character_id"], "id of a character"),
        IntegerFilter("team_id", by["team_id"], "id of a team"),
        IntegerFilter("universe_id", by["universe_id"], "id of a universe"),
    )
