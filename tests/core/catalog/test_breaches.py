"""Breaches of advisory rules: the SQL agrees with the Python functions, and each breach is found."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import String, column, select, values

from comicsdb.catalog import trade_numbers
from comicsdb.catalog.advice import RULES, breaches
from comicsdb.models import Issue, Series
from tests.soak import SOAK

DIGITS = st.text("0123456789", min_size=7, max_size=19)
BOOKS = st.builds(str.__add__, st.sampled_from(["978", "979", "977", "0", ""]), DIGITS.map(lambda t: t[:10]))
ODD = st.text(st.sampled_from("0123456789X x-Aé½²"), max_size=14)
TEXTS = st.lists(st.one_of(DIGITS, BOOKS, ODD), min_size=40, max_size=40)
REAL = [
    "9780306406157",
    "0306406152",
    "080442957X",
    "080442957x",
    "76194134182600111",
    "4006381333931",
    "036000291452",
    "03600029145299",
    "ABC123",
]


def with_check_digits(texts: list[str]) -> list[str]:
    """The texts, and the first twelve with each possible check character, so that some are valid."""
    return [*texts, *(text + last for text in texts[:12] for last in "0123456789X")]


@given(texts=TEXTS)
@settings(max_examples=200 if SOAK else 5)
def check_conditions(session, texts):
    found = list(dict.fromkeys([*REAL, *with_check_digits([text.replace("\0", "") for text in texts])]))
    rows = values(column("text", String), name="given").data([(text,) for text in found])
    named = {
        name: getattr(trade_numbers, f"column_{name}")(rows.c.text).label(name)
        for name in ("is_isbn", "is_upc", "is_sku")
    }
    answers = session.execute(select(rows.c.text, *named.values())).all()
    assert len(answers) == len(found)
    for row in answers:
        for name in named:
            assert getattr(row, name) is getattr(trade_numbers, name)(row.text), (name, row.text)


def test_the_conditions_say_what_the_functions_say(session):
    check_conditions(session)


def found(session) -> set[tuple]:
    rows = session.execute(select(breaches()))
    return {(RULES[row.place].name, row.kind, row.object_id, row.found) for row in rows}


def test_each_rule_is_found_and_nothing_else(make, catalog, session):
    image = {"image": "variants/x.png", "image_width": 1, "image_height": 1}
    good = make.series(name="Good", year_end=2021, collection=True)
    make.issue(
        series=good, isbn="9780306406157", upc="03600029145200111", sku="JAN1", title="A", arcs=[make.arc()],
        variants=[image | {"upc": "036000291452", "sku": "A1"}],
    )  # fmt: skip
    make.series(series_type=8, cv_id=9)
    make.creator(birth=date(1950, 1, 2), death=date(1950, 1, 2))
    assert found(session) == set()
    book = make.series(name="Book", series_type=10, cv_id=12, associated=[good])
    issue = make.issue(
        series=book, number="1", cover_date=None,
        isbn="9780306406158", upc="1", sku="a-b", title="All", arcs=[make.arc()],
        variants=[image | {"upc": "12"}, image | {"upc": "13", "sku": "ö"}, image],
    )  # fmt: skip
    ghost = make.creator(birth=date(1950, 1, 2), death=date(1950, 1, 1))
    house, imprint = make.publisher(), make.imprint(name="Elsewhere")
    other = make.series(publisher=house, year_began=2020)
    session.execute(
        Series.__table__.update().where(Series.id == other.id).values(year_end=2019, imprint_id=imprint.id)
    )
    assert found(session) == {
        ("isbn", "issue", issue.id, "9780306406158"),
        ("upc", "issue", issue.id, "1"),
        ("sku", "issue", issue.id, "a-b"),
        ("variant-upc", "issue", issue.id, "12, 13"),
        ("variant-sku", "issue", issue.id, "ö"),
        ("title", "issue", issue.id, "All"),
        ("cover-date", "issue", issue.id, issue.number),
        ("arcs", "issue", issue.id, ""),
        ("cv-id", "series", book.id, "12"),
        ("associated", "series", book.id, ""),
        ("years", "series", other.id, "2020–2019"),
        ("imprint", "series", other.id, "Elsewhere"),
        ("life", "creator", ghost.id, "1950-01-02–1950-01-01"),
    }
    assert {rule.name for rule in RULES} == {name for name, *_rest in found(session)}
    assert {each[0] for each in found(session) if each[1] == Issue.__tablename__} >= {"isbn", "arcs"}
