"""Long texts are cut or refused by length before any code sees them that is slow on long texts."""

import pytest

from comicsdb import schemas
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.slugs import slugify
from comicsdb.library.transfer.reading import read_file
from comicsdb.library.transfer.values import LINE_MAX, NOTES_MAX, UnclearError, line, notes, word
from comicsdb.schemas.types import TEXT_LENGTH_MAX
from comicsdb.values import plain
from tests.core.schema_reading import deserialize_field, field_errors
from tests.cpu import assert_cpu

SLOW = 0.25  # seconds of CPU allowed; without a limit of length it took seconds, or minutes
MARKS = "a" + "\u0301\u0323" * 60_000  # normalising sorts them by class, in quadratic time


@pytest.mark.parametrize("normalising", [plain, slugify])
def test_what_is_normalised_is_cut_before(normalising):
    assert normalising(MARKS) == "a"
    assert_cpu(lambda: normalising(MARKS), SLOW)
    assert normalising("Ârc") == "arc"


@pytest.mark.parametrize(
    "table",
    [
        f'"{MARKS}",Series,Number\n,Salt Tide,1\n',
        f'Series,Number,"{MARKS}"\nSalt Tide,1,\n',
        f'Series,Number,Publisher\nSalt Tide,1,"{MARKS}"\n',
        f'Series,Number,"{"Price" + MARKS}",\nSalt Tide,1,3.99,USD\n',
        "sep=;\n" + f'Series;Number;"{MARKS}"\nSalt Tide;1;\n',
    ],
)
def test_a_long_cell_of_a_table_costs_nothing_wherever_it_stands(table):
    def upload():
        return read_file(table.encode(), rows=10, megabytes=1)

    assert_cpu(upload, SLOW)
    assert [(row.wanted.series, row.wanted.number) for row in upload().rows] == [("Salt Tide", "1")]


@pytest.mark.parametrize("first", ["sep" * 1_000_000, " " * 3_000_000, "(" * 3_000_000])
def test_a_long_first_line_is_no_table(first):
    def refused():
        with pytest.raises(InvalidError):
            read_file(first.encode(), rows=10, megabytes=10)

    assert_cpu(refused, 1)


def test_what_is_longer_than_its_column_is_unclear_and_never_cut():
    assert line(f"  Salt {' ' * LINE_MAX} Tide\n") == "Salt Tide"
    assert notes("x" * NOTES_MAX) == "x" * NOTES_MAX
    for reader, most in ((line, LINE_MAX), (notes, NOTES_MAX), (word, 100)):
        for text in ("x" * (most + 1), "x" + " " * 5 * most + "y", MARKS):
            with pytest.raises(UnclearError):
                reader(text)


def test_descriptions_have_an_end():
    assert deserialize_field(schemas.ArcSchema, "desc", "x" * TEXT_LENGTH_MAX) == {
        "desc": "x" * TEXT_LENGTH_MAX
    }
    told = field_errors(schemas.ArcSchema, "desc", "x" * (TEXT_LENGTH_MAX + 1))
    assert told == ["Ensure this field has no more than 100000 characters."]
