"""Matching of file rows with issues and series: only what is certain is taken, all else is asked."""

from datetime import date
from math import ceil
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from comicsdb.library.transfer.format import published
from comicsdb.library.transfer.matching import (
    AMBIGUOUS,
    BATCH,
    CANDIDATES_MAX,
    MATCHED,
    REASONS,
    UNKNOWN,
    Match,
    MatchQuery,
    match_issues,
    match_series,
)
from comicsdb.library.transfer.reading import read_file
from comicsdb.models import Issue
from tests.cases import for_each
from tests.conftest import connection_in_savepoint, connection_with_data, record_statements


def stock(_session, make) -> SimpleNamespace:
    """Create two series with the same name, which has an article, and a one-shot; returns the ids."""
    with make.single_commit():
        w = SimpleNamespace(harbor=make.publisher(name="Harbor House Comics", alt_names=["Porto"]))
        w.imprint = make.imprint(name="Little Harbor", publisher=w.harbor)
        w.first = make.series(
            name="The Amazing Lamp-Lighter",
            volume=1,
            year_began=1963,
            publisher=w.harbor,
            alt_names=["Lumière & Co"],
        )
        w.second = make.series(
            name="The Amazing Lamp-Lighter", volume=5, year_began=2018, publisher=w.harbor, imprint=w.imprint
        )
        w.alone = make.series(name="Única!", year_began=2020)
        w.one = make.issue(
            series=w.first, number="1", cover_date=date(1963, 3, 1), cv_id=77, upc="75960608936500111"
        )
        w.two = make.issue(series=w.first, number="2", cover_date=date(1963, 5, 1), gcd_id=78)
        w.half = make.issue(series=w.first, number="½", alt_number="0.5", cover_date=date(1963, 4, 1))
        w.newone = make.issue(
            series=w.second,
            number="1",
            alt_number="802",
            cover_date=date(2018, 9, 1),
            store_date=date(2018, 7, 11),
        )
        w.letter = make.issue(series=w.second, number="12.HU", cover_date=date(2019, 3, 1))
        w.only = make.issue(series=w.alone, number="1", cover_date=date(2020, 5, 1))
    return SimpleNamespace(**{name: each.id for name, each in vars(w).items()})


@pytest.fixture(scope="module")
def stocked(engine):
    """A connection for all tests, and the ids of its data."""
    with connection_with_data(engine, stock) as found:
        yield found


@pytest.fixture
def connection(stocked):
    """The shared connection in a savepoint, which is rolled back."""
    yield from connection_in_savepoint(stocked[0])


@pytest.fixture
def shelf(stocked):
    """The ids of the series and issues."""
    return stocked[1]


def one(session, **values) -> Match:
    (match,) = match_issues(session, [MatchQuery(**values)])
    return match


def likely(issue_id: int) -> Match:
    """The match of a row that has nothing but name and number."""
    return Match(AMBIGUOUS, candidates=(issue_id,), reason="likely")


LIGHTER = "Amazing Lamplighter"


@for_each(
    "name",
    [
        "The Amazing Lamp-Lighter",
        "AMAZING LAMP LIGHTER",
        "Amazing Lamplighter, The",
        "  the amazing lämp–lighter ",
        "Lumiere and Co.",
    ],
)
def test_articles_case_accents_and_punctuation_make_no_difference(session, shelf, name):
    assert one(session, series=name, number="2") == likely(shelf.two)


def test_match_issues_cover_month_prefers_issue_of_that_month(session, make, shelf):
    month = published("1971-03")
    with make.single_commit():
        april, march = (
            make.issue(series=make.series(name="Foghorn Nights", year_began=1971), cover_date=day)
            for day in (date(1971, 4, 2), date(1971, 3, 20))
        )
    match = one(session, series="Foghorn Nights", number="1", **month)
    assert match.candidates == (march.id, april.id)


def test_match_issues_name_two_letters_off_asks_without_a_proposal(session, make):
    with make.single_commit():
        issue = make.issue(series=make.series(name="Doctor Brimvento"), number="2")
    match = one(session, series="Doctor Brimvenzz", number="2")
    assert match == Match(AMBIGUOUS, candidates=(issue.id,), reason="similar_name")


@for_each("number", ["12.HU", "12.hu", "012.Hu"])
def test_numbers_are_compared_without_case_and_leading_zeros(session, shelf, number):
    assert one(session, series=LIGHTER, number=number) == likely(shelf.letter)
    assert one(session, series=LIGHTER, number="12").reason == "no_issue"


def test_fractions_and_alternative_numbers_are_found(session, shelf):
    assert one(session, series=LIGHTER, number="1/2", year=1963).id == shelf.half
    assert one(session, series=LIGHTER, number="0.5", year=1963).id == shelf.half
    assert one(session, series=LIGHTER, number="802").candidates == (shelf.newone,)


@for_each(
    "hint",
    [
        {"year": 2018},
        {"cover_date": date(2018, 9, 1)},
        {"store_date": date(2018, 7, 12)},
        {"published": 2018},
    ],
)
def test_what_else_the_row_says_decides_between_series_of_one_name(session, shelf, hint):
    assert one(session, series=LIGHTER, number="1").state == AMBIGUOUS
    assert one(session, series=LIGHTER, number="1", **hint) == Match(MATCHED, shelf.newone, (shelf.newone,))


def test_where_several_fit_a_person_chooses(session, shelf):
    assert one(session, series=LIGHTER, number="1") == Match(
        AMBIGUOUS, candidates=(shelf.one, shelf.newone), reason="several"
    )


@for_each("hint", [{"year": 1999}, {"cover_date": date(1965, 1, 1)}, {"publisher": "Another House"}])
def test_the_only_one_is_doubted_where_the_row_says_otherwise(session, shelf, hint):
    assert one(session, series=LIGHTER, number="2", **hint) == Match(
        AMBIGUOUS, candidates=(shelf.two,), reason="doubtful"
    )


def test_what_is_not_there_is_not_replaced_by_something_else(session, shelf):
    for name, number in ((f"{LIGHTER} Annual", "2"), (LIGHTER, "2AU"), (LIGHTER, "12")):
        assert one(session, series=name, number=number, published=1963).state == UNKNOWN
    book = one(session, series=LIGHTER, number="2", format="TP", published=1963)
    assert (book.state, book.reason) == (AMBIGUOUS, "doubtful")


@for_each("publisher", ["Harbor House", "PORTO", "little harbor"])
def test_publishers_are_known_by_all_their_names(session, shelf, publisher):
    assert one(session, series=LIGHTER, number="12.HU", published=2019, publisher=publisher).state == MATCHED


def test_a_near_date_only_weighs_and_another_volume_is_asked(session, shelf):
    assert one(session, series=LIGHTER, number="2", volume=9).reason == "doubtful"
    assert one(session, series=LIGHTER, number="2", cover_date=date(1963, 8, 1)).id == shelf.two


def test_permanent_ids_go_before_words(session, shelf):
    for ids in ({"id": shelf.two}, {"gcd_id": 78}):
        assert one(session, **ids).id == shelf.two
        assert one(session, series="Another Spelling", number="2", **ids).id == shelf.two
        # Name and number are those of another issue.
        assert one(session, series="Amazing Lamp-Lighter", number="1", **ids).state == AMBIGUOUS
    assert one(session, upc="75960608936500111").id == shelf.one
    assert one(session, cv_id=77, series=LIGHTER, number="1").id == shelf.one


def test_ids_in_columns_of_a_table_decide_although_the_names_differ(session, shelf):
    table = (
        "Series,Number,cv_id,gcd_id,ISBN,URL\nLampadaio,1,4000-77,,,\nLampadaio,2,,78.0,,\n"
        "Lampadaio,1,,,,https://comicvine.gamespot.com/lamp/4000-77/\nLampadaio,5,77,,,\n"
    )
    rows = read_file(table.encode(), rows=10, megabytes=1).rows
    matches = match_issues(session, [row.wanted for row in rows])
    assert [(match.state, match.id) for match in matches[:3]] == [
        *((MATCHED, shelf.one), (MATCHED, shelf.two)),
        (MATCHED, shelf.one),
    ]
    assert matches[3].state == AMBIGUOUS  # the number contradicts the id


def test_an_id_of_something_else_is_not_believed(session, shelf):
    """As in a file of another site: its owner decides."""
    assert one(session, id=shelf.only, series=LIGHTER, number="2").candidates == (shelf.two, shelf.only)
    sure = {"series": LIGHTER, "number": "2", "year": 1963, "cover_date": date(1963, 5, 1)}
    assert one(session, **sure).id == shelf.two
    assert one(session, **sure, id=shelf.only).candidates == (shelf.two, shelf.only)
    assert one(session, id=shelf.only, series="Nobody Knows", number="7") == Match(
        AMBIGUOUS, candidates=(shelf.only,), reason="other_name"
    )
    # The series was renamed, but the other columns confirm the id.
    renamed = one(session, id=shelf.two, series="Old Name", number="2", cover_date=date(1963, 5, 1))
    assert renamed.id == shelf.two


def test_a_barcode_that_two_issues_have_is_decided_by_the_words(session, make, shelf):
    make.catalog.update(session.get(Issue, shelf.two), {"upc": "75960608936500111"})
    session.commit()
    assert one(session, upc="75960608936500111").state == AMBIGUOUS
    assert one(session, upc="75960608936500111", series=LIGHTER, number="2").id == shelf.two
    # If the text names another issue than the barcode, its owner decides.
    match = one(session, upc="75960608936500111", series=LIGHTER, number="12.HU")
    assert (match.state, shelf.letter in match.candidates) == (AMBIGUOUS, True)


def test_the_id_of_a_merged_issue_leads_to_the_one_it_lives_on_in(session, make, shelf):
    session.execute(
        text(
            "INSERT INTO tombstone (kind, object_id, slug, survivor_id) VALUES"
            " ('issue', 2000001, 'gone', :id), ('issue', 2000002, 'gone-too', NULL)"
        ),
        {"id": shelf.two},
    )
    assert one(session, id=2000001).id == shelf.two
    assert one(session, id=2000002) == Match(UNKNOWN, reason="no_id")


def test_a_row_without_a_number_means_the_only_issue(session, shelf):
    assert one(session, series="Unica", year=2020).id == shelf.only
    assert one(session, series="Unica") == likely(shelf.only)
    assert one(session, series=LIGHTER) == Match(UNKNOWN, reason="no_number")


@for_each(
    "values,reason",
    [
        ({"series": "Nobody Knows", "number": "1"}, "no_series"),
        ({"series": LIGHTER, "number": "99"}, "no_issue"),
        ({"id": 999_999_999}, "no_id"),
        ({}, "nothing"),
        ({"number": "3"}, "nothing"),
        ({"upc": "000"}, "nothing"),
    ],
)
def test_what_is_not_found_has_a_reason(session, shelf, values, reason):
    assert one(session, **values) == Match(UNKNOWN, reason=reason)
    assert reason in REASONS


@pytest.mark.parametrize(
    "name", ["%", "!!!", "'; DROP TABLE issue; --", "\\", "(", "the", "🦆" * 70, "\u0130"]
)
def test_odd_names_are_only_names(session, make, shelf, name):
    assert one(session, series=name, number=name).state == UNKNOWN
    issue = make.issue(series=make.series(name=name[:200], sort_name="x"))
    assert one(session, series=name[:200], number="1").candidates == (issue.id,)


def test_dates_are_compared_as_far_as_they_are_known(session, make):
    series = make.series(name="Tex Rider", year_began=1958)
    with make.single_commit():
        undated = make.issue(series=series, number="400", cover_date=None, cv_id=400)
        sold = make.issue(series=series, number="401", cover_date=None, store_date=date(1994, 2, 5))
        year = make.issue(
            series=series,
            number="2",
            cover_date=date(1986, 1, 1),
            cover_date_precision="year",
            upc="75960608936500222",
        )
        month = make.issue(
            series=series, number="3", cover_date=date(1986, 3, 1), cover_date_precision="month"
        )

    def match(number, **values) -> tuple[str, tuple]:
        found = one(session, series="Tex Rider", number=number, **values)
        return found.state, found.candidates

    for said in ({"cover_date": date(1994, 2, 1)}, {"published": 1994}, {"store_date": date(1994, 2, 1)}):
        assert match("400", **said) == (AMBIGUOUS, (undated.id,))
        assert match("401", **said) == (MATCHED, (sold.id,))
    assert match("2", cover_date=date(1986, 11, 1)) == (MATCHED, (year.id,))
    assert match("2", cover_date=date(1989, 11, 1)) == (AMBIGUOUS, (year.id,))
    assert match("3", cover_date=date(1986, 3, 31)) == (MATCHED, (month.id,))
    # An id with its number is believed, but a barcode may have been reused.
    assert one(session, series="Another Name", number="400", cv_id=400).id == undated.id
    match = one(
        session, series="Another Name", number="2", upc="75960608936500222", cover_date=date(1986, 1, 1)
    )
    assert match.reason == "other_name"


def test_no_more_candidates_are_offered_than_can_be_read(session, make):
    for volume in range(1, CANDIDATES_MAX + 3):
        make.issue(series=make.series(name="Many", volume=volume))
    assert len(one(session, series="many", number="1").candidates) == CANDIDATES_MAX


def test_series_are_matched_alike(session, make, shelf):
    found = match_series(
        session,
        [
            MatchQuery(series=LIGHTER, year=2018),
            MatchQuery(series=LIGHTER),
            MatchQuery(series="unica!"),
            MatchQuery(id=shelf.first, series=LIGHTER),
            MatchQuery(series="Nobody Knows"),
        ],
    )
    assert [each.state for each in found] == [MATCHED, AMBIGUOUS, AMBIGUOUS, MATCHED, UNKNOWN]
    assert [each.id for each in found] == [shelf.second, None, None, shelf.first, None]
    assert found[2] == likely(shelf.alone)
    assert found[1].candidates == (shelf.first, shelf.second)


def test_a_file_of_five_thousand_rows_costs_three_statements_a_batch(session, connection, shelf):
    rows = [MatchQuery(id=shelf.one)]
    rows += [
        MatchQuery(series=f"The Amazing Lamplighter {n % 50 or ''}", number=str(n % 1000))
        for n in range(4999)
    ]
    with record_statements(connection) as statements:
        found = match_issues(session, rows)
    assert len(statements) <= 2 + 3 * ceil(1001 / BATCH), statements
    assert len(found) == 5000
    assert found[0].id == shelf.one
    assert found[2].reason == "no_series"
