"""Filters that several kinds have; what they ask of rows is declared in `comicsdb.catalog.filters`."""

from comicsdb.catalog.filters import Condition, later, named
from comicsdb_api.resource.filters import Filter, Flag, IdList, Int, IntList, Later

Conditions = dict[str, Condition]


def modified(table) -> tuple[Filter, ...]:
    """What has changed since."""
    return (Later("modified_gt", Condition(later, table.c.modified), "modified"),)


def identified(by: Conditions) -> tuple[Filter, ...]:
    """The ids in other databases."""
    return (
        IdList("cv_id", by["cv_id"], "id at Comic Vine"),
        IdList("gcd_id", by["gcd_id"], "id at the Grand Comics Database"),
    )


def unidentified(by: Conditions) -> tuple[Filter, ...]:
    """Whether these ids are missing."""
    return (
        Flag("missing_cv_id", by["missing_cv_id"], "the id at Comic Vine"),
        Flag("missing_gcd_id", by["missing_gcd_id"], "the id at the Grand Comics Database"),
    )


def of_names(model) -> tuple[Filter, ...]:
    """The filters of a kind that has no others: name, ids in other databases, last change."""
    by = named(model)
    ids = identified(by) if "cv_id" in by else ()
    return (Filter("name", by["name"], "the name"), *ids, *modified(model.__table__))


def of_series(by: Conditions, prefix: str = "") -> tuple[Filter, ...]:
    """What is asked of series, and of the series of issues."""
    alt_names = "the alternative names of the series, with blanks between"
    return (
        Filter(f"{prefix}name", by[f"{prefix}name"], "the name of the series"),
        Filter(f"{prefix}alt_names", by[f"{prefix}alt_names"], alt_names),
        Filter(f"{prefix}q", by[f"{prefix}q"], "the name or the alternative names of the series"),
        Int(f"{prefix}volume", by[f"{prefix}volume"], "volume of the series"),
        Int(f"{prefix}year_began", by[f"{prefix}year_began"], "first year of the series"),
        Int("publisher_id", by["publisher_id"], "id of the publisher"),
        Filter("publisher_name", by["publisher_name"], "the name of the publisher"),
        Int("imprint_id", by["imprint_id"], "id of the imprint"),
        Filter("imprint_name", by["imprint_name"], "the name of the imprint"),
        IntList("genre_id", by["genre_id"], "genres of the series"),
        Filter("genre", by["genre"], "the name of a genre of the series"),
    )


def of_contents(by: Conditions) -> tuple[Filter, ...]:
    """Who and what is in issues."""
    return (
        Int("creator_id", by["creator_id"], "id of a creator in the credits"),
        IntList("role_id", by["role_id"], "roles in the credits"),
        Int("character_id", by["character_id"], "id of a character"),
        Int("team_id", by["team_id"], "id of a team"),
        Int("universe_id", by["universe_id"], "id of a universe"),
    )
