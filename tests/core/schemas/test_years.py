"""One rule for years: every column, field, file and option that holds one accepts the same range."""

import re

import pytest

from comicsdb import schemas
from comicsdb.catalog import InvalidError
from comicsdb.cli.catalog_commands import fix_start_year_command
from comicsdb.exchange.format import FILES
from comicsdb.library.transfer.format import COLUMNS, LIST_FIELDS, SERIES_FIELDS
from comicsdb.library.transfer.values import UnclearError
from comicsdb.models import metadata
from comicsdb.models.choices import YEARS
from comicsdb.schemas import ObjectSchema
from tests.core.schema_reading import deserialize_field, field_errors

LOW, HIGH = YEARS
WRONG = (LOW - 1, HIGH + 1, 0, -1, 20226)


def is_year(name: str) -> bool:
    """Whether a column or field holds a year."""
    return re.search("year|founded", name) is not None and not name.startswith("shows_")


def test_every_column_of_a_year_has_the_range():
    columns = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if is_year(column.name)
    }
    ranges = {
        (table.name, check.info["range"][0])
        for table in metadata.tables.values()
        for check in table.constraints
        if check.info.get("range", ())[1:] == YEARS
    }
    assert columns == ranges
    assert len(columns) == 7


def test_every_field_of_a_schema_has_the_range():
    kinds = [each for each in vars(schemas).values() if isinstance(each, type)]
    kinds = [each for each in kinds if issubclass(each, ObjectSchema)]
    fields = [(kind, field.name) for kind in kinds for field in kind().children if is_year(field.name)]
    assert len(fields) == 4
    for kind, name in fields:
        assert [deserialize_field(kind, name, year)[name] for year in YEARS] == list(YEARS)
        for wrong in WRONG:
            bound = f"greater than or equal to {LOW}" if wrong < LOW else f"less than or equal to {HIGH}"
            assert field_errors(kind, name, wrong) == [f"Ensure this value is {bound}."]


def test_every_key_of_a_data_set_and_of_a_library_has_the_range():
    readers = [field.read for file in FILES for field in file.fields if is_year(field.key)]
    assert len(readers) == 7
    names = {name for columns in COLUMNS.values() for name in columns if is_year(name)}
    readers += [(SERIES_FIELDS | LIST_FIELDS)[name] for name in names]
    assert len(readers) == 9
    for read_year in readers:
        assert [read_year(year) for year in YEARS] == list(YEARS)
        for wrong in WRONG:
            with pytest.raises((ValueError, UnclearError)):
                read_year(wrong)


def test_the_catalog_and_the_command_refuse_what_surfaces_let_through(make):
    series, publisher = make.series(), make.publisher()
    for entity, field in ((series, "year_began"), (series, "year_end"), (publisher, "founded")):
        for wrong in WRONG:
            with pytest.raises(InvalidError) as caught:
                make.catalog.update(entity, {field: wrong})
            assert field in caught.value.errors
    (option,) = (each for each in fix_start_year_command.params if each.name == "year")
    assert (option.type.min, option.type.max) == YEARS
