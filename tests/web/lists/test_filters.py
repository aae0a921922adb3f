"""Filters of lists: what each one finds, its chip, and invalid values."""

from datetime import UTC, date, datetime

import pytest
import time_machine

from comicsdb.catalog import search
from tests.web.conftest import field_errors, form_with, labels, soup

FIRST, SECOND, THIRD = (f"Lamplight (2019) #{number}" for number in (1, 2, 3))
BOOK, ABROAD = "Lamplight Collected TPB (2020) #1", "Étoile (1999) #7"
RUN, BOOKS, STAR = "Lamplight (2019)", "Lamplight Collected TPB (2020)", "Étoile (1999)"


@pytest.fixture
def catalog(world, make):
    """The small catalog, with another publisher, series and issue that have little in common with it."""
    with make.single_commit():
        world.abroad = make.publisher(name="Édition Sud", country="FR", founded=1975)
        world.line = make.imprint(name="Côté Sud", publisher=world.abroad)
        world.star = make.series(
            name="Étoile",
            sort_name="Étoile",
            alt_names=["Star of the South"],
            publisher=world.abroad,
            imprint=world.line,
            language="fr",
            volume=4,
            year_began=1999,
            series_type=11,
            status=4,
        )
        world.far = make.issue(
            series=world.star,
            number="7",
            cover_date=date(1999, 12, 1),
            store_date=date(1999, 11, 3),
            foc_date=date(1999, 10, 4),
            gcd_id=777,
        )
    return world


PUBLISHERS = {
    "q=edition": ["Édition Sud"],
    "q=PRESS+porto": ["Harbor House"],
    "name=sud+%C3%89D": ["Édition Sud"],
    "name=porto": [],
    "alt_names=porto": ["Harbor House"],
    "country=FR": ["Édition Sud"],
    "founded_gte=1975": ["Édition Sud"],
    "founded_gte=1938&founded_lte=1974": ["Harbor House"],
    "founded_lte=1975": ["Édition Sud", "Harbor House"],
    "country=IT&founded_gte=1975": [],
}
SERIES = {
    "q=star": [STAR],
    "creator_name=pencil+ada": [RUN],
    "character_name=lamplighter": [RUN],
    "creator_name=ada&character_name=nobody": [],
    "rating=3": [RUN],
    "rating=4": [],
    "issue_count_gte=2": [RUN],
    "issue_count_lte=1": [BOOKS, STAR],
    "last_cover_date_after=2020-01-01": [BOOKS],
    "last_cover_date_before=1999-12-01": [STAR],
    "q=luce+lamp": [RUN],
    "name=lamplight": [RUN, BOOKS],
    "name=collected+LAMP": [BOOKS],
    "alt_names=south": [STAR],
    "series_type=10": [BOOKS],
    "publisher_name=edition": [STAR],
    "publisher_name=house+harb": [RUN, BOOKS],
    "imprint_name=cote": [STAR],
    "imprint_name=harbor": [RUN],
    "year_began=1999": [STAR],
    "year_began_gte=2020": [BOOKS],
    "year_began_lte=1999": [STAR],
    "year_began_gte=2019&year_began_lte=2019": [RUN],
    "year_end=2021": [RUN],
    "status=2": [RUN],
    "language=it": [RUN],
    "language=it&language=fr": [STAR, RUN],
    "language=pt-br": [],
    "volume=4": [STAR],
    "language=en&name=lamplight": [BOOKS],
}
ISSUES = {
    "q=star": [ABROAD],
    "q=lamplight+%232": [SECOND],
    "series_name=collected": [BOOK],
    "series_name=luce": [],
    "series_type=10": [BOOK],
    "series_volume=4": [ABROAD],
    "series_year_began=2019": [FIRST, SECOND, THIRD],
    "publisher_name=sud": [ABROAD],
    "number=7": [ABROAD],
    "number=1": [FIRST, BOOK],
    "alt_number=103": [THIRD],
    "cover_year=1999": [ABROAD],
    "cover_month=7": [THIRD],
    "cover_year=2019&cover_month=5": [FIRST],
    "store_date_after=2019-04-03": [FIRST],
    "store_date_after=2019-04-04": [],
    "store_date_before=1999-11-03": [ABROAD],
    "store_date_after=1999-11-04&store_date_before=2019-04-03": [FIRST],
    "store_date_after=2019-01-01&store_date_before=1999-01-01": [],
    "foc_date_after=2019-03-11": [FIRST],
    "foc_date_before=1999-10-03": [],
    "foc_date_before=1999-10-04": [ABROAD],
    "sku=jan190001": [FIRST],
    "upc=76194134182600111": [FIRST],
    "upc=76194134182600": [],
    "cv_id=21": [FIRST],
    "gcd_id=777": [ABROAD],
    "series_type=13&number=1": [FIRST],
}


@pytest.mark.parametrize(
    ("kind", "expected"), [("publisher", PUBLISHERS), ("series", SERIES), ("issue", ISSUES)]
)
def test_each_filter_finds_what_it_says(testapp, catalog, kind, expected):
    for query, found in expected.items():
        page = soup(testapp.get(f"/{kind}/?{query}"))
        assert sorted(each.get_text() for each in page.select(".card-label")) == sorted(found), query
        assert page.select_one(".list-count").get_text().split()[0] == str(len(found)), query
        assert not page.select(".field-error"), query


def test_the_search_of_a_kind_has_its_filters_too(testapp, catalog):
    assert labels(testapp.get("/issue/search?q=lamplight&series_type=10")) == [BOOK]
    assert labels(testapp.get("/series/search/?q=e&language=fr").follow()) == [STAR]


def test_objects_are_found_by_their_number_and_shown_by_their_name(testapp, catalog):
    w = catalog
    expected = {
        f"/series/?publisher_id={w.abroad.id}": ([STAR], "Publisher ID: Édition Sud"),
        f"/series/?imprint_id={w.imprint.id}": ([RUN], "Imprint ID: Little Harbor"),
        f"/issue/?publisher_id={w.abroad.id}": ([ABROAD], "Publisher ID: Édition Sud"),
        f"/issue/?series_id={w.book.id}": ([BOOK], f"Series ID: {BOOKS}"),
    }
    for address, (found, chip) in expected.items():
        response = testapp.get(address)
        assert labels(response) == found
        assert chips(response) == [chip]


def chips(response) -> list[str]:
    """The texts of the active filters."""
    found = soup(response).select('ul[aria-label="Active filters"] a.tag:not(.tag-clear)')
    return [" ".join(each.select_one("span").get_text(" ", strip=True).split()) for each in found]


def links(response) -> list[str]:
    """The addresses of the chips of active filters; the last one clears all."""
    return [each["href"] for each in soup(response).select('ul[aria-label="Active filters"] a')]


def test_chips_say_in_words_what_is_chosen(testapp, catalog):
    query = "name=lamp&series_type=10&status=2&language=it&language=fr&year_began=2019"
    assert chips(testapp.get(f"/series/?{query}")) == [
        "Name: lamp",
        "Type: Trade Paperback",
        "Status: Completed",
        "Language: Italian",
        "Language: French",
        "Began in: 2019",
    ]
    query = "cover_month=5&store_date_after=2019-04-03&q=lamp"
    assert chips(testapp.get(f"/issue/?{query}")) == [
        "Search: lamp",
        "Cover month: May",
        "In stores on or after: Apr 3, 2019",
    ]
    assert chips(testapp.get("/publisher/?country=FR")) == ["Country: France"]


def test_a_chip_removes_one_value_and_leads_to_the_first_page(testapp, catalog):
    response = testapp.get("/series/?language=it&language=fr&q=&name=e&page=1&utm_source=feed")
    assert links(response) == [
        "/series/?language=it&language=fr",
        "/series/?language=fr&name=e",
        "/series/?language=it&name=e",
        "/series/",
    ]
    response = testapp.get("/issue/?number=1&sort=cover_new")
    assert links(response) == ["/issue/?sort=cover_new", "/issue/?sort=cover_new"]


def test_only_filters_have_chips(testapp, catalog):
    for address in ("/issue/?utm_source=feed&sort=added&page=1", "/series/?number=1", "/arc/?q=dusk&name=x"):
        response = testapp.get(address)
        assert chips(response) == []
        assert not soup(response).select('meta[name="robots"]')


def test_lists_that_are_narrowed_are_not_for_search_engines(testapp, catalog):
    robots = soup(testapp.get("/issue/?number=1")).select_one('meta[name="robots"]')
    assert robots["content"] == "noindex"


WRONG = {
    "/publisher/": {
        "country": ["XX", "fr"],
        "founded_gte": ["abc", "-1", "1.5", "99999", "²"],
        "founded_lte": ["9" * 500],
    },
    "/series/": {
        "series_type": ["0", "TPB", "9" * 30],
        "status": ["5", "Ongoing"],
        "language": ["xx", "IT"],
        "volume": ["-1", "99999"],
        "year_began": ["x"],
        "year_end": ["20000"],
        "publisher_id": ["0", "2147483647", "2147483648", "1 OR 1=1"],
        "imprint_id": ["none"],
    },
    "/issue/": {
        "series_type": ["99"],
        "series_volume": ["a"],
        "series_year_began": ["a"],
        "cover_year": ["0", "10000", "last"],
        "cover_month": ["0", "13", "May"],
        "store_date_after": ["2019-02-30", "2019-4-3", "20190403", "2019-W14-3", "today", "２019-04-03"],
        "store_date_before": ["0000-01-01"],
        "foc_date_after": ["04/03/2019"],
        "foc_date_before": ["x"],
        "cv_id": ["2147483648"],
        "gcd_id": ["0x15"],
        "series_id": ["99999999"],
        "publisher_id": ["-5"],
    },
}


@pytest.mark.parametrize("address", WRONG)
def test_what_makes_no_sense_is_said_beside_its_field_and_ignored(testapp, catalog, address):
    everything = labels(testapp.get(address))
    for turn in range(max(len(values) for values in WRONG[address].values())):
        query = {name: values[turn % len(values)] for name, values in WRONG[address].items()}
        response = testapp.get(address, query)
        page = soup(response)
        assert labels(response) == everything, query
        assert sorted(field_errors(response)) == sorted(f"by-{name}" for name in query), query
        assert chips(response) == []
        assert page.select_one("details.more-filters").has_attr("open")
        for name, value in query.items():
            field = page.find(attrs={"aria-describedby": f"by-{name}-error"})
            assert field["aria-invalid"] == "true"
            if field.name == "input":
                assert field["value"] == value[: search.QUERY_LENGTH_MAX]
                assert field.get("type") != "date"  # date fields could not show the invalid text


def test_the_others_count_beside_one_that_is_wrong(testapp, catalog):
    response = testapp.get("/series/?year_began=x&language=fr&language=xx")
    assert labels(response) == [STAR]
    assert chips(response) == ["Language: French"]
    assert sorted(field_errors(response)) == ["by-language", "by-year_began"]


def test_any_text_is_only_looked_for(testapp, catalog):
    names = (
        "q",
        "name",
        "alt_names",
        "series_name",
        "publisher_name",
        "imprint_name",
        "number",
        "sku",
        "upc",
    )
    for number, value in enumerate(("%", "_\\'", '"><script>', "\x00\x01", "🦔", "a" * 800, "#", "(")):
        kind = ("publisher", "series", "issue")[number % 3]
        response = testapp.get(f"/{kind}/", dict.fromkeys(names, value))
        assert field_errors(response) == {}
        assert '"><script>' not in response.text
    assert labels(testapp.get("/issue/?series_name=%25&sku=%25")) == []


@pytest.mark.parametrize("address", ["/publisher/", "/series/", "/issue/", "/issue/future"])
def test_the_form_sends_what_the_list_reads(testapp, catalog, address):
    """Fills in every field of the form; the list then has a chip for each."""
    start = testapp.get(address)
    form = form_with(start, "q", action=address)
    ids = {"series_id": catalog.series.id, "imprint_id": catalog.imprint.id}
    filled = [name for name in form.fields if name]
    for name in filled:
        field = form.get(name, index=0)
        if field.tag == "select":
            field.value = field.options[1][0]
        elif field.attrs.get("type") == "checkbox":
            field.checked = True
        elif field.attrs.get("type") == "date":
            field.value = "2019-04-03"
        else:
            field.value = str(ids.get(name, catalog.publisher.id))
    response = form.submit()
    assert len(filled) > 5
    assert len(chips(response)) == len(filled)
    assert soup(response).select_one("details.more-filters").has_attr("open")
    assert links(response)[-1] == address


def test_the_sort_form_keeps_the_filters_and_the_filters_keep_the_order(testapp, catalog):
    response = testapp.get("/issue/?series_name=lamplight&cover_year=2019")
    form = form_with(response, **{"class": "sort"})
    form["sort"] = "cover_new"
    response = form.submit()
    assert labels(response) == [THIRD, SECOND, FIRST]
    assert len(chips(response)) == 2
    form = form_with(response, "q", action="/issue/")
    form["cover_year"] = ""
    assert labels(form.submit()) == [BOOK, THIRD, SECOND, FIRST]


def test_years_of_covers_are_offered_up_to_this_one_and_from_october_the_next(testapp, catalog):
    def offered():
        return [each["value"] for each in soup(testapp.get("/issue/")).select("#by-cover_year option")]

    with time_machine.travel(datetime(2026, 10, 1, 3, tzinfo=UTC), tick=False):  # in New York, September
        years = offered()
    assert years[:2] == ["", "2026"]
    assert years[-1] == "1939"
    assert len(years) == 1 + 2026 - 1939 + 1
    with time_machine.travel(datetime(2026, 10, 1, 5, tzinfo=UTC), tick=False):
        assert offered()[1] == "2027"


def test_a_year_that_is_not_offered_may_stand_in_the_address(testapp, catalog, make):
    make.issue(series=catalog.star, number="0", cover_date=date(1911, 1, 1))
    response = testapp.get("/issue/?cover_year=1911")
    assert labels(response) == ["Étoile (1999) #0"]
    assert soup(response).select_one("#by-cover_year option[selected]")["value"] == "1911"


def test_nothing_found_says_so_and_offers_to_clear(testapp, catalog):
    page = soup(testapp.get("/issue/?number=999&sort=added"))
    assert page.select_one(".empty p").get_text() == "Nothing matches these filters."
    assert page.select_one(".empty a")["href"] == "/issue/?sort=added"
