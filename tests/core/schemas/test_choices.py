"""The closed lists: as many codes as there are, each once, and the same in the database."""

from sqlalchemy import text

from comicsdb.models.choices import COUNTRIES, LANGUAGES, Currency, Status


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


def test_states_have_the_labels_of_the_api():
    assert [(status.value, status.label) for status in Status] == [
        (1, "Cancelled"),
        (2, "Completed"),
        (3, "Hiatus"),
        (4, "Ongoing"),
    ]
