"""The closed lists of codes: complete, without duplicates, and the same in the database."""

from datetime import date
from decimal import Decimal
from itertools import product

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from comicsdb.models.choices import COUNTRIES, LANGUAGES, Status
from comicsdb.models.currencies import IN_USE, WITHDRAWN, Currency, currency_of, decimals_of


def test_there_are_100_languages_and_249_countries():
    assert (len(LANGUAGES), len(set(LANGUAGES))) == (100, 100)
    assert {"en", "it", "sr-latn", "zh-hans", "pt-br"} <= set(LANGUAGES)
    assert (len(COUNTRIES), len(set(COUNTRIES))) == (249, 249)
    assert all(len(code) == 2 and code.isupper() for code in COUNTRIES)


def test_the_database_takes_every_language_and_currency(connection, make):
    series = make.series()
    for language in ("", *LANGUAGES):
        connection.execute(
            text("UPDATE series SET language = :code WHERE id = :id"), {"code": language, "id": series.id}
        )
    issue = make.issue()
    for currency in Currency:
        connection.execute(
            text("UPDATE issue SET currency = :code WHERE id = :id"), {"code": currency, "id": issue.id}
        )


@pytest.mark.parametrize(
    ("function", "codes"), [("is_currency", [*Currency]), ("is_language", ["", *LANGUAGES])]
)
def test_the_database_takes_no_other_code(connection, function, codes):
    letters = "abcdefghijklmnopqrstuvwxyz"
    others = {one + two + three for one, two, three in product(letters, ["", *letters], ["", *letters])}
    asked = {*codes, *others, *map(str.upper, others), *("xxx", "en_gb", "EN", " EUR", "EUR,", "{}", "e n")}
    taken = connection.scalars(
        text(f"SELECT code FROM unnest(CAST(:codes AS text[])) code WHERE {function}(code)"),
        {"codes": sorted(map(str, asked))},
    )
    assert sorted(taken) == sorted(map(str, codes))
    assert connection.scalar(text(f"SELECT {function}(NULL)")) is None


def test_every_currency_has_its_digits_in_the_database_too(connection):
    rows = connection.execute(
        text("SELECT code, currency_digits(code) FROM unnest(CAST(:codes AS text[])) code"),
        {"codes": [*map(str, Currency)]},
    )
    assert dict(rows.all()) == {str(currency): decimals_of(currency) for currency in Currency}


def test_currencies_have_the_digits_of_iso_4217():
    assert (len(IN_USE), len(WITHDRAWN), len(Currency)) == (155, 98, 253)
    assert [decimals_of(code) for code in ("USD", "CHF", "JPY", "KRW", "KWD", "TND", "HUF", "ISK")] == [
        *(2, 2, 0, 0, 3, 3, 2, 0)
    ]
    assert [decimals_of(code) for code in ("ITL", "ESP", "BEF", "PTE", "DEM", "YUD")] == [2] * 6
    assert not {"XXX", "XTS", "XAU", "XDR", "CLF", "UYW", "CHE"} & {*map(str, Currency)}


def test_currency_of_a_country_and_a_day_is_the_one_of_cover_prices():
    rows = (
        ("IT", date(1975, 3, 1), "ITL"),
        ("IT", date(2001, 12, 1), "ITL"),  # euros circulated from 2002 on
        ("IT", date(2019, 3, 1), "EUR"),
        ("GB", date(1938, 7, 30), "GBP"),
        ("FR", date(1934, 10, 1), "FRF"),
        ("JP", date(2300, 1, 1), "JPY"),
        ("US", date.min, "USD"),
        ("AQ", date(2019, 3, 1), "USD"),  # no currency of its own
        ("", date(2019, 3, 1), "USD"),
    )
    assert [(country, day, currency_of(country, day)) for country, day, _currency in rows] == list(rows)


def test_amounts_are_kept_with_the_digits_of_their_currency(connection, make):
    issue = make.issue()
    for price, currency, kept in (
        ("500", "JPY", "500"),
        ("1.25", "KWD", "1.250"),
        ("3.5", "USD", "3.50"),
        ("999999999", "ITL", "999999999.00"),
    ):
        written = connection.execute(
            text(
                "UPDATE issue SET price = :price, currency = :currency WHERE id = :id RETURNING price::text"
            ),
            {"price": Decimal(price), "currency": currency, "id": issue.id},
        )
        assert written.scalar() == kept
    for price in ("1000000000", "-1", "NaN", "Infinity"):
        with pytest.raises(IntegrityError, match="ck_issue_price_range"), connection.begin_nested():
            connection.execute(
                text("UPDATE issue SET price = :price WHERE id = :id"),
                {"price": Decimal(price), "id": issue.id},
            )


def test_amounts_are_kept_so_where_other_triggers_do_not_run(connection, make):
    """A mirror writes rows in this mode; the amounts it reads are numbers without trailing zeros."""
    issue = make.issue()
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    query = "UPDATE issue SET price = 3.5, currency = 'USD' WHERE id = :id RETURNING price::text"
    assert connection.scalar(text(query), {"id": issue.id}) == "3.50"


def test_states_have_the_labels_of_the_api():
    assert [(status.value, status.label) for status in Status] == [
        (1, "Cancelled"),
        (2, "Completed"),
        (3, "Hiatus"),
        (4, "Ongoing"),
    ]
