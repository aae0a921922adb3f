"""The tables and columns that are read from a dump of the Grand Comics Database.

Columns come and go between dumps, so each is found by its name: a column that a dump lacks is treated as
empty in all rows. The same goes for a table, unless nothing could be read without it.
"""

import sqlite3
from dataclasses import dataclass

# A table with its columns: `$` marks text, `#` numbers with decimals, `?` nullable columns.
_TABLES = """
stddata_country code$ name$
stddata_language code$ name$
stddata_date year$ month$ day$ year_uncertain month_uncertain day_uncertain
gcd_publisher name$ year_began? year_began_uncertain notes$ country_id? deleted
gcd_brand_group name$ parent_id? year_began? year_began_uncertain notes$ deleted
gcd_brand_emblem_group brand_id brandgroup_id
gcd_series name$ sort_name$ year_began? year_ended? is_current publisher_id country_id? language_id? \
publication_type_id? binding$ publishing_format$ notes$ is_comics_publication \
is_singleton has_issue_title deleted
gcd_series_bond origin_id target_id bond_type_id
gcd_issue number$ volume$ display_volume_with_number series_id key_date$ on_sale_date$ \
on_sale_date_uncertain sort_code price$ page_count#? isbn$ valid_isbn$ barcode$ title$ rating$ \
variant_of_id? variant_name$ deleted
gcd_issue_brand_emblem issue_id brand_id
gcd_story title$ title_inferred sequence_number page_count#? issue_id type_id script$ pencils$ inks$ colors$ \
letters$ editing$ genre$ synopsis$ deleted
gcd_creator gcd_official_name$ disambiguation$ birth_date_id? death_date_id? bio$ deleted
gcd_creator_name_detail name$ is_official_name creator_id deleted
gcd_story_credit creator_id credit_type_id story_id uncertain credit_name$ deleted
gcd_issue_credit creator_id credit_type_id issue_id uncertain credit_name$ deleted
gcd_multiverse name$ deleted
gcd_universe multiverse$ verse_id? name$ designation$ description$ deleted
gcd_character name$ disambiguation$ universe_id? description$ deleted
gcd_character_name_detail name$ character_id is_official_name deleted
gcd_group name$ disambiguation$ universe_id? description$ deleted
gcd_group_name_detail name$ group_id is_official_name deleted
gcd_group_membership character_id group_id membership_type_id
gcd_story_character character_id universe_id? story_id deleted
gcd_group_character group_name_id universe_id? story_id deleted
gcd_story_universe story_id universe_id
gcd_story_arc name$ disambiguation$ description$ deleted
gcd_story_story_arc story_id storyarc_id
gcd_reprint origin_id? target_id? origin_issue_id target_issue_id
"""
REQUIRED = ("gcd_publisher", "gcd_series", "gcd_issue", "gcd_story")
# The columns by which rows are looked up; a dump that lacks these indexes is copied, and the copy indexed.
INDEXES = (
    ("gcd_series", "publisher_id"),
    ("gcd_issue", "series_id"),
    ("gcd_issue", "variant_of_id"),
    ("gcd_issue_brand_emblem", "issue_id"),
    ("gcd_story", "issue_id"),
    ("gcd_creator_name_detail", "creator_id"),
    ("gcd_story_credit", "story_id"),
    ("gcd_issue_credit", "issue_id"),
    ("gcd_character_name_detail", "character_id"),
    ("gcd_group_name_detail", "group_id"),
    ("gcd_group_membership", "character_id"),
    ("gcd_story_character", "story_id"),
    ("gcd_group_character", "story_id"),
    ("gcd_story_universe", "story_id"),
    ("gcd_story_story_arc", "story_id"),
    ("gcd_reprint", "origin_issue_id"),
    ("gcd_reprint", "target_issue_id"),
    ("gcd_series_bond", "origin_id"),
    ("gcd_series_bond", "target_id"),
)


@dataclass(frozen=True)
class Column:
    """A column: its name, its type in SQLite, and the value to use when a dump lacks it."""

    name: str
    type: str
    empty: str | int | None


def _column(word: str) -> Column:
    name = word.rstrip("$#?")
    kind = "TEXT" if "$" in word else "NUMERIC" if "#" in word else "INTEGER"
    return Column(name, kind, None if "?" in word else "" if kind == "TEXT" else 0)


TABLES: dict[str, tuple[Column, ...]] = {
    table: tuple(map(_column, words))
    for table, *words in (line.split() for line in _TABLES.strip().splitlines())
}


def create(connection: sqlite3.Connection, table: str) -> None:
    """Create an empty table with the columns that are read."""
    columns = ", ".join(f"{column.name} {column.type}" for column in TABLES[table])
    connection.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, {columns})")


def create_indexes(connection: sqlite3.Connection) -> None:
    """Create the indexes for lookups."""
    for table, column in INDEXES:
        connection.execute(f"CREATE INDEX ix_{table}_{column} ON {table} ({column})")
