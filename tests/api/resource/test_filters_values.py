"""Values of filters, by type: valid, unusual, empty, repeated and invalid."""

from datetime import date

import pytest
from sqlalchemy import text

from comicsdb_api.resource.filters import FOREIGN_IDS_MAX, IDS_MAX
from tests.api.api_client import serve_catalog
from tests.api.resource.test_filters import FILTERS

PARAMETERS = [
    (kind, name) for kind, declared in FILTERS.items() for each in declared for name in each.parameters
]
NUMBER, DATE, MOMENT = "Enter a number.", "Enter a valid date.", "Enter a valid date/time."
A, B, C = "A", "B", "C"
ALL = "A B C"


@pytest.fixture(scope="module")
def site(cluster, template, media_folder):
    """Three issues called A, B and C; the site is in Rome. B and C have no store date."""
    settings = {"comicsdb.timezone": "Europe/Rome"}
    with serve_catalog(cluster, template, "values", media_folder, **settings) as site:
        make, session = site.make, site.session
        plain, accents = make.series(name="Plain back\\slash"), make.series(name="Ünder_score")
        given = {"series": plain, "cover_date": date(2020, 2, 29)}
        role = make.role("Writer").id
        written = [{"creator": make.creator().id, "roles": [role]}]
        make.issue(number=A, cv_id=51, store_date=date(2020, 2, 1), credits=written, **given)
        make.issue(number=B, cv_id=2147483647, **given)
        make.issue(number=C, series=accents, cover_date=date(9999, 12, 31))
        # In Rome: a microsecond past the last hour before the new year; its first moment; some time in it.
        for number, moment in ((A, "2020-12-31 22:00:00.000001"), (B, "2020-12-31 23:00"), (C, "2021-06-01")):
            session.execute(text(f"UPDATE issue SET modified = '{moment}+00' WHERE number = '{number}'"))
        session.commit()
        yield site


def numbers(site, *query: tuple[str, str]) -> str:
    """The numbers of the issues found."""
    rows = site.client.json(site.path("issue", *query))["results"]
    return " ".join(sorted(row["number"] for row in rows))


@pytest.mark.parametrize("value", ["51", "51.0", "51.", "+51", "0051", "5.1e1", "5100e-2", " 51 ", "\t51\n"])
def test_a_number_may_be_spelled_in_many_ways(site, value):
    assert numbers(site, ("cv_id", value)) == A


@pytest.mark.parametrize(
    "value",
    [
        "51.5", "-51", "0", "-0", "2147483648", "-99999999999999999999", "9" * 8_000, "1e400", "1e1000000",
        "1e-400",
        "1e9999999999999999999", "1e-9999999999999999999", "0." + "0" * 7900 + "1",
    ],
)  # fmt: skip
def test_a_number_that_no_row_can_have_finds_nothing(site, value):
    assert numbers(site, ("cv_id", value)) == ""
    assert numbers(site, ("role_id", value)) == ""
    assert numbers(site, ("series_volume", value)) == ""
    assert site.ids("series", ("volume", value)) == []


def test_the_largest_number_is_one_like_others(site):
    assert numbers(site, ("cv_id", "2147483647")) == B
    assert numbers(site, ("cv_id", "2147483647.00")) == B
    assert numbers(site, ("series_volume", "40000")) == ""  # more than its column holds


WRONG = [
    "x",
    "1,2",
    "5 1",
    "NaN",
    "Infinity",
    "0x33",
    "--1",
    "1_0",
    "½",
    "٥١",
    "５１",
    "1.0.0",
    "e1",
    ".",
    "true",
]


@pytest.mark.parametrize("value", WRONG)
def test_what_is_no_number_is_refused(site, value):
    for name in ("series_id", "cover_year", "cover_month", "creator_id"):
        assert site.error_body("issue", (name, value)) == {name: [NUMBER]}


@pytest.mark.parametrize(
    "value", ["1", "1,", " 1 , 2 ,", ",1,,2", "1.0,7", "99,1", "1,99999999999999999999", "1,1"]
)
def test_a_list_of_ids_is_separated_by_commas(site, value):
    assert numbers(site, ("role_id", value)) == A


@pytest.mark.parametrize(
    ("value", "found"), [(",", ALL), (" , ,", ALL), ("2", ""), ("2,3", ""), ("-1,0", "")]
)
def test_a_list_of_ids_may_hold_nothing_or_nothing_known(site, value, found):
    assert numbers(site, ("role_id", value)) == found


@pytest.mark.parametrize("value", ["x", "1,x", "1;2", "1 2", "1,½"])
def test_a_list_with_something_else_is_refused(site, value):
    assert site.error_body("issue", ("role_id", value)) == {"role_id": [NUMBER]}


def test_of_a_very_long_list_of_ids_only_the_first_count(site):
    others = ",".join(str(each) for each in range(100, 100 + IDS_MAX))
    assert numbers(site, ("role_id", f"1,{others}")) == A
    assert numbers(site, ("role_id", f"{others},1")) == ""


@pytest.mark.parametrize(
    ("value", "found"), [("51", A), ("51,2147483647", "A B"), (" 7 ,51, ", A), ("7", "")]
)
def test_ids_of_other_databases_may_be_listed(site, value, found):
    assert numbers(site, ("cv_id", value)) == found


def test_more_ids_than_are_looked_for_are_refused(site):
    most = ",".join(["51"] * FOREIGN_IDS_MAX)
    assert numbers(site, ("cv_id", most)) == A
    for name in ("cv_id", "gcd_id"):
        told = site.error_body("issue", (name, f"{most},51"))
        assert told == {name: ["Send at most 100 ids."]}


@pytest.mark.parametrize("value", ["x", "1,x", "1;2", "5 1", "½"])
def test_ids_that_are_no_numbers_are_refused(site, value):
    assert site.error_body("issue", ("cv_id", value)) == {"cv_id": [NUMBER]}


@pytest.mark.parametrize("value", ["true", "TRUE", " True ", "1"])
def test_true_in_any_spelling(site, value):
    assert numbers(site, ("missing_cv_id", value)) == C


@pytest.mark.parametrize("value", ["false", "False", "0"])
def test_false_in_any_spelling(site, value):
    assert numbers(site, ("missing_cv_id", value)) == "A B"


@pytest.mark.parametrize("value", ["yes", "no", "2", "1.0", "t", "on", "null", "truetrue", "x" * 8_000])
def test_what_is_neither_true_nor_false_is_no_filter(site, value):
    assert numbers(site, ("missing_cv_id", value)) == ALL


@pytest.mark.parametrize("value", ["2020-02-01", "02/01/2020", "2020-2-1", "2/1/2020", " 2020-02-01 "])
def test_a_day_may_be_written_in_two_ways(site, value):
    assert numbers(site, ("store_date", value)) == A
    assert numbers(site, ("store_date_range_after", value), ("store_date_range_before", value)) == A


BAD_DAYS = [
    "2020-02-30", "2019-02-29", "2020-13-01", "2020-00-10", "0000-01-01", "13/01/2020", "2020-02-01T00:00",
    "20200201", "2020-W05-6", "20-02-01", "02/01/20", "today", "1", "2020-02-01 x", "٢٠٢٠-٠٢-٠١", "2020-02",
    "10000-01-01",
]  # fmt: skip


@pytest.mark.parametrize("value", BAD_DAYS)
def test_what_is_no_day_is_refused(site, value):
    assert site.error_body("issue", ("store_date", value)) == {"store_date": [DATE]}
    assert site.error_body("issue", ("foc_date", value)) == {"foc_date": [DATE]}


@pytest.mark.parametrize("name", ["store_date_range", "foc_date_range", "cover_date_range"])
@pytest.mark.parametrize("side", ["after", "before"])
def test_a_bad_end_of_a_range_is_reported_under_the_name_of_the_range(site, name, side):
    assert site.error_body("issue", (f"{name}_{side}", "2020-02-30")) == {name: [DATE]}
    both = site.error_body("issue", (f"{name}_after", "x"), (f"{name}_before", "y"))
    assert both == {name: [DATE]}


def test_a_range_leaves_out_what_has_no_date(site):
    assert numbers(site, ("store_date_range_after", "0001-01-01")) == A
    assert numbers(site, ("store_date_range_before", "9999-12-31")) == A
    assert (
        numbers(site, ("store_date_range_after", "2020-02-02"), ("store_date_range_before", "2020-01-01"))
        == ""
    )


@pytest.mark.parametrize(("year", "found"), [("2020", "A B"), ("9999", C), ("2020.0", "A B"), ("1", "")])
def test_years_to_the_ends_of_the_calendar(site, year, found):
    assert numbers(site, ("cover_year", year)) == found


@pytest.mark.parametrize("year", ["0", "-1", "10000", "99999", "2020.5", "1e300"])
def test_impossible_years_find_nothing(site, year):
    assert numbers(site, ("cover_year", year)) == ""


@pytest.mark.parametrize(
    ("month", "found"), [("2", "A B"), ("12", C), ("02", "A B"), ("0", ""), ("13", ""), ("2.5", "")]
)
def test_months(site, month, found):
    assert numbers(site, ("cover_month", month)) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2020-12-31T22:00:00Z", ALL),
        ("2020-12-31T22:00:00.000001Z", "B C"),  # strictly later
        ("2020-12-31T22:00:00,000000999Z", ALL),  # digits beyond microseconds are cut off
        ("2020-12-31t22:00:00.0000019z", "B C"),
        ("2020-12-31 22:30:00Z", "B C"),
        ("2020-12-31T23:00Z", C),
        ("2021-01-01 00:30:00+02:00", "B C"),
        ("2021-01-01T00:30:00 +0200", "B C"),
        ("2020-12-31T17:30-05", "B C"),
        ("2020-12-31 23:00:00", ALL),  # naive: in Rome
        ("2020-12-31 23:59:59", "B C"),
        ("2021-01-01", C),  # midnight in Rome, exactly the time of B
        ("01/01/2021", C),
        ("2020-12-31", ALL),
        ("2021-06-01", C),  # midnight in Rome, two hours before that in UTC
        ("2021-06-01T00:00Z", ""),
        ("0001-01-01", ALL),
        ("0001-01-01T00:00:00+14:00", ALL),
        ("9999-12-31T23:59:59-14:00", ""),
        ("9999-12-31", ""),
    ],
)
def test_later_than_a_moment(site, value, found):
    assert numbers(site, ("modified_gt", value)) == found


@pytest.mark.parametrize(
    "value",
    [
        *(day for day in BAD_DAYS if day != "2020-02-01T00:00"),
        "2020-02-01T25:00", "2020-02-01T10:60", "2020-02-01T10:00:61", "2020-02-01T10:00:00 02:00",
        "2020-02-01T",
        "2020-02-01T10", "2020-02-01T10:00+24:00", "2020-02-01T10:00+99", "2020-02-01T10:00+01:75", "T10:00",
        "2020-02-01X10:00", "2020-02-01T10:00ZZ", "1612137600",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_refused(site, value):
    assert site.error_body("issue", ("modified_gt", value)) == {"modified_gt": [MOMENT]}


@pytest.mark.parametrize("value", ["EN", "english", "xx", "e", "en,it", "en it"])
def test_a_choice_is_one_of_the_codes_exactly(site, value):
    message = f"Select a valid choice. {value} is not one of the available choices."
    assert site.error_body("series", ("language", value)) == {"language": [message]}


@pytest.mark.parametrize("value", ["ongoing", "Ongoing", "0", "5", "04", "4.0", "-4"])
def test_a_status_is_one_of_four_numbers(site, value):
    message = f"Select a valid choice. {value} is not one of the available choices."
    assert site.error_body("series", ("status", value)) == {"status": [message]}


def test_a_choice_is_stripped(site):
    assert len(site.ids("series", ("status", " 4 "), ("language", "\ten "))) == 2


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("PLAIN", "A B"),
        ("slash   back", "A B"),
        ("back\\slash", "A B"),
        ("back\u00a0slash", "A B"),  # a no-break space
        ("slash\t\u2003\nback", "A B"),
        ("unde", C),
        ("UNDER_", C),
        ("underxscore", ""),
        ("\\", "A B"),
        ("\\\\", ""),
        ("%", ""),
        ("_", C),
        ("' OR 1=1 --", ""),
        ("\u200b", ""),  # invisible
        ("\ufeff\u202e", ""),
        ("back \x01", "A B"),
        ("plain " * 500, "A B"),
        ("plain " * 12 + "nowhere", "A B"),  # words from the thirteenth on do not count
        ("plain " * 11 + "nowhere", ""),
        ("x" * 8_000, ""),
        ("\ufdfa" * 800, ""),
        ("%" * 2_000, ""),
        ("\U0001f9b8", ""),
    ],
)  # fmt: skip
def test_words(site, value, found):
    assert numbers(site, ("series_name", value)) == found
    assert numbers(site, ("series_q", value)) == found


@pytest.mark.parametrize("value", ["%ED%A0%80", "%FF%FE", "%C3", "a%ED%BF%BFb", "%F5%80%80%80"])
def test_bytes_that_are_no_text_are_refused(site, value):
    for kind, name in (("issue", "series_name"), ("issue", "cv_id"), ("arc", "name")):
        refused = site.client.json(f"/api/{kind}/?{name}={value}", 400)
        assert refused == {"detail": "The URL is not valid UTF-8."}


@pytest.mark.parametrize(
    "number", ["1 MU", "1+MU", "½", "", "-1", "%", "\\", "''", "x" * 4_000, "\u200b", "Ⅷ", "0"]
)
def test_a_tagger_never_gets_a_refusal_for_what_it_asks(site, number):
    for more in (
        (),
        (("series_id", "1"),),
        (("series_name", "Plain: back/slash (2020) &?#"),),
        (("series_name", number),),
    ):
        assert "results" in site.client.json(site.path("issue", ("number", number), *more))
    assert numbers(site, ("cv_id", "51")) == A


@pytest.mark.parametrize(("kind", "name"), PARAMETERS)
def test_an_empty_value_is_no_filter(site, kind, name):
    everything = site.ids(kind)
    assert everything or kind in ("arc", "character", "imprint", "team", "universe")
    assert site.ids(kind, (name, "")) == everything
    assert site.ids(kind, (name, " \t\u3000")) == everything
    # The last value counts, even an empty one.
    assert site.ids(kind, (name, "nonsense"), (name, "")) == everything


@pytest.mark.parametrize(("kind", "name"), PARAMETERS)
def test_a_null_character_is_refused(site, kind, name):
    reported = name.removesuffix("_after").removesuffix("_before")
    for value in ("\0", "a\0b", "1\0"):
        assert site.error_body(kind, (name, value)) == {reported: ["Null characters are not allowed."]}


def test_the_last_of_repeated_values_counts(site):
    assert numbers(site, ("cv_id", "51"), ("cv_id", "2147483647")) == B
    assert numbers(site, ("role_id", "1"), ("role_id", "2")) == ""
    assert numbers(site, ("number", "x"), ("number", "b")) == B
    assert numbers(site, ("cv_id", "nonsense"), ("cv_id", "51")) == A
    assert site.error_body("issue", ("cv_id", "51"), ("cv_id", "x")) == {"cv_id": [NUMBER]}


def test_all_bad_parameters_are_reported_together(site):
    bad = [
        ("cv_id", "x"), ("role_id", "1,x"), ("store_date", "x"), ("foc_date_range_before", "x"),
        ("cover_year", "x"),
        ("modified_gt", "x"), ("series_name", "a\0"), ("number", "A"), ("missing_cv_id", "x"),
    ]  # fmt: skip
    assert site.error_body("issue", *bad) == {
        "cv_id": [NUMBER],
        "role_id": [NUMBER],
        "store_date": [DATE],
        "foc_date_range": [DATE],
        "cover_year": [NUMBER],
        "modified_gt": [MOMENT],
        "series_name": ["Null characters are not allowed."],
    }


@pytest.mark.parametrize("kind", FILTERS)
def test_what_is_no_filter_of_a_list_is_ignored(site, kind):
    unknown = [
        ("ordering", "-name"), ("search", "x"), ("modified_lt", "x"), ("nonsense", "\0"), ("id", "x"),
        ("CV_ID", "x"), ("store_date_range", "x"), ("modified_gt ", "x"),
    ]  # fmt: skip
    assert site.ids(kind, *unknown) == site.ids(kind)


def test_nested_lists_and_details_take_no_filters(site):
    (series,) = site.ids("series", ("name", "plain"))
    query = "?cv_id=x&number=nothing&modified_gt=x"
    assert site.client.json(f"/api/series/{series}/issue_list/{query}")["count"] == 2
    assert site.client.json(f"/api/series/{series}/{query}")["id"] == series


def test_every_parameter_is_described():
    for kind, declared in FILTERS.items():
        described = [parameter for each in declared for parameter in each.openapi_parameters()]
        assert [each.name for each in described] == [name for k, name in PARAMETERS if k == kind]
        for each in described:
            assert each.description.endswith(".")
            assert each.description[0].isupper()
            assert each.schema["type"] in {"string", "integer", "boolean", "array"}
