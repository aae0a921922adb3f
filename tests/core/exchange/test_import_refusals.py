"""Invalid data sets: import reports the file, line and field of each problem, and stores nothing."""

import hashlib

import pytest

from comicsdb.models.attribution import OWNERS
from comicsdb.models.picture_hash import HASHES
from comicsdb.problems import ImportFailedError
from tests.cases import for_each
from tests.dataset import entity, picture, pictures, small_set, write_set
from tests.importer import temporary_importer


@pytest.fixture(scope="module")
def importer(cluster, template, tmp_path_factory):
    """An importer into an empty catalog, shared by all tests: a refused set leaves nothing behind."""
    with temporary_importer(cluster, template, "refusals", tmp_path_factory.mktemp("refusals")) as importer:
        yield importer


def _broken(file: str, place: int, **values) -> dict:
    rows = small_set()
    rows[file][place] = rows[file][place] | values
    return rows


WRONG = [  # file and line, values, field, message
    ("publishers.jsonl:1", {"founded": "1950"}, "founded", "takes a year from 1500 to 2100, not '1950'"),
    ("publishers.jsonl:1", {"founded": 40000}, "founded", "takes a year from 1500 to 2100, not 40000"),
    ("publishers.jsonl:2", {"name": "x" * 256}, "name", "takes at most 255 characters, not 256"),
    ("publishers.jsonl:2", {"name": " "}, "name", "must not be empty"),
    ("publishers.jsonl:2", {"desc": "a\0b"}, "desc", "has the character U+0000, which is no text"),
    ("publishers.jsonl:2", {"desc": "a\ufdd0b"}, "desc", "has the character U+FDD0, which is no text"),
    (
        "publishers.jsonl:2",
        {"slug": "11"},
        "slug",
        "must not be a number: it would be mistaken for an id",
    ),
    (
        "publishers.jsonl:2",
        {"slug": "a/b"},
        "slug",
        "takes letters, digits, hyphens and underscores, not 'a/b'",
    ),
    ("publishers.jsonl:2", {"alt_names": ["ok", 3]}, "alt_names", "takes text, not 3"),
    ("publishers.jsonl:2", {"cv_id": True}, "cv_id", "takes a whole number, not True"),
    (
        "publishers.jsonl:2",
        {"modified": "2025-01-01T00:00:00"},
        "modified",
        "takes an instant YYYY-MM-DDTHH:MM:SS.ffffffZ, not '2025-01-01T00:00:00'",
    ),
    (
        "publishers.jsonl:2",
        {"modified": "2025-01-01T00:00:00+16:00"},
        "modified",
        "takes an instant YYYY-MM-DDTHH:MM:SS.ffffffZ, not '2025-01-01T00:00:00+16:00'",
    ),
    ("creators.jsonl:1", {"birth": "1890-13-01"}, "birth", "takes a date YYYY-MM-DD, not '1890-13-01'"),
    (
        "creators.jsonl:1",
        {"alias": ["x" * 101]},
        "alias",
        "takes at most 100 characters a text, not 101 (place 1)",
    ),
    ("series.jsonl:1", {"status": 5}, "status", "takes one of 1, 2, 3, 4, not 5"),
    ("series.jsonl:1", {"collection": 1}, "collection", "takes true or false, not 1"),
    (
        "issues.jsonl:2",
        {"desc_is_solicitation": "true"},
        "desc_is_solicitation",
        "takes true or false, not 'true'",
    ),
    (
        "issues.jsonl:1",
        {"cover_date": "1899-12-31"},
        "cover_date",
        "takes no date before 1900, not 1899-12-31",
    ),
    (
        "issues.jsonl:1",
        {"cover_date": "2026-W01-1"},
        "cover_date",
        "takes a date YYYY-MM-DD, not '2026-W01-1'",
    ),
    (
        "issues.jsonl:1",
        {"price": "-1.00"},
        "price",
        "takes an amount of at most 9 digits and 3 decimals, not '-1.00'",
    ),
    ("issues.jsonl:1", {"price": 3.99}, "price", "takes text, not 3.99"),
    (
        "issues.jsonl:1",
        {"currency": "CHX"},
        "currency",
        "takes a code of ISO 4217, such as USD, EUR or JPY, not 'CHX'",
    ),
    (
        "issues.jsonl:1",
        {"price": "3.5", "currency": "JPY"},
        "price",
        "takes an amount of at most 9 digits and 0 decimals in JPY, not '3.5'",
    ),
    (
        "variants.jsonl:1",
        {"price": "1000000", "currency": "EUR"},
        "price",
        "takes an amount of at most 6 digits and 2 decimals in EUR, not '1000000'",
    ),
    ("variants.jsonl:1", {"currency": ""}, "currency", "is missing for the price"),
    ("issues.jsonl:1", {"cover_hash": "xyz"}, "cover_hash", "takes 16 hexadecimal digits, not 'xyz'"),
    ("issues.jsonl:1", {"arc_ids": [1, 1]}, "arc_ids", "names 1 more than once"),
    ("variants.jsonl:1", {"image": None}, "image", "takes text, not None"),
    (
        "attributions.jsonl:1",
        {"url": "javascript:x"},
        "url",
        "takes an address that begins with http:// or https://, not 'javascript:x'",
    ),
    (
        "attributions.jsonl:1",
        {"entity": "credit"},
        "entity",
        f"takes one of {', '.join(OWNERS)}, not 'credit'",
    ),
    ("issue_ratings.jsonl:1", {"rating": 6}, "rating", "takes a number from 1 to 5, not 6"),
    (
        "users.jsonl:2",
        {"username": ".."},
        "username",
        "takes letters, digits and @ . + - _, and neither digits alone nor one or two dots, not '..'",
    ),
    (
        "users.jsonl:2",
        {"username": "12"},
        "username",
        "takes letters, digits and @ . + - _, and neither digits alone nor one or two dots, not '12'",
    ),
]
DIGESTS = [  # of pictures, with their hashes
    (
        "variants.jsonl:1",
        {"image_sha256": "F" * 64},
        "image_sha256",
        "takes the 64 hexadecimal digits of the file's SHA-256",
    ),
    *(
        (
            "variants.jsonl:1",
            {"image_sha256": "0" * 64, "image_hashes": given},
            "image_sha256",
            "needs image_hashes with phash, dhash, early_dhash, ahash beside it",
        )
        for given in (None, {"phash": "0"}, dict.fromkeys(HASHES, 1))
    ),
    (
        "variants.jsonl:1",
        {"image_sha256": "0" * 64, "image_hashes": dict.fromkeys(HASHES, "x")},
        "image_sha256",
        "Enter a hash of 64 bits: up to 16 hexadecimal digits.",
    ),
]
TWICE = [  # values that must be unique
    (
        "publishers.jsonl:2",
        {"slug": "editions-du-port"},
        "slug",
        "editions-du-port was used on line 1 already",
    ),
    ("publishers.jsonl:2", {"cv_id": 11}, "cv_id", "11 was used on line 1 already"),
    ("creators.jsonl:2", {"gcd_id": 7, "id": 1}, "id", "1 was used on line 1 already"),
    (
        "universes.jsonl:2",
        {"designation": "Earth 1"},
        "publisher_id, name and designation",
        "2, Earth 1, Earth 1 was used on line 1 already",
    ),
    ("issues.jsonl:2", {"number": "1"}, "series_id and number", "1, 1 was used on line 1 already"),
    ("credits.jsonl:2", {"creator_id": 1}, "issue_id and creator_id", "1, 1 was used on line 1 already"),
    ("issue_ratings.jsonl:2", {"user_id": 2}, "issue_id and user_id", "1, 2 was used on line 1 already"),
    ("users.jsonl:2", {"username": "ADMIN"}, "username", "admin was used on line 1 already"),
    ("genres.jsonl:2", {"name": "WESTERN"}, "name", "western was used on line 1 already"),
]
UNKNOWN = [  # references to missing or wrong rows
    ("imprints.jsonl:1", {"publisher_id": 9}, "publisher_id", "publishers.jsonl has no id 9"),
    ("characters.jsonl:1", {"team_ids": [1, 8]}, "team_ids", "teams.jsonl has no id 8"),
    ("series.jsonl:1", {"associated_ids": [1]}, "associated_ids", "names the row itself"),
    ("issues.jsonl:1", {"created_by_id": 7}, "created_by_id", "users.jsonl has no id 7"),
    ("credits.jsonl:1", {"role_ids": [4]}, "role_ids", "roles.jsonl has no id 4"),
    ("attributions.jsonl:1", {"entity_id": 77}, "entity_id", "issues.jsonl has no id 77"),
    ("external_ids.jsonl:1", {"entity_id": 77}, "entity_id", "issues.jsonl has no id 77"),
    ("external_ids.jsonl:1", {"external_id": "x"}, "external_id", "x is no id of Metron"),
]


def _together(cases: list[tuple]) -> list[list[tuple]]:
    """Group cases so that no two set the same field of a row: one import then reports a whole group."""
    groups: list[tuple[set, list]] = []
    for case in cases:
        fields = {(case[0], name) for name in case[1]}
        fitting = next((each for each in groups if not each[0] & fields), None)
        if fitting is None:
            groups.append(fitting := (set(), []))
        fitting[0].update(fields)
        fitting[1].append(case)
    return [group for _, group in groups]


# Rows with invalid values are not checked further, so each kind of problem needs its own data sets.
@for_each("cases", [group for sort in (WRONG, DIGESTS, TWICE, UNKNOWN) for group in _together(sort)])
def test_wrong_values_are_refused_by_file_line_and_field(importer, cases):
    rows = small_set()
    for place, values, *_ in cases:
        file, _, line = place.partition(".jsonl:")
        rows[file][int(line) - 1] |= values
    problems = importer.problems(rows)
    for place, _, field, words in cases:
        assert f"{place}: {field}: {words}" in problems
    assert importer.one("SELECT count(*) FROM publisher") == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no file images/covers/one.png"),
        (b"", "the file images/covers/one.png is empty"),
        (b"<svg/>", "the file images/covers/one.png is not a JPEG, PNG, WebP, GIF or AVIF picture"),
        (picture("red", (200, 200))[:150], "the file images/covers/one.png is damaged or incomplete"),
    ],
)
def test_an_unusable_picture_is_refused_by_file_line_and_field(importer, content, words):
    images = pictures() | {"covers/one.png": content}
    if content is None:
        del images["covers/one.png"]
    problems = importer.problems(small_set(), images=images)
    assert f"variants.jsonl:1: image: {words}" in problems
    assert f"universes.jsonl:1: image: {words}" in problems


def test_a_file_that_is_no_picture_is_refused_whatever_the_set_tells_of_it(importer):
    rows, content = small_set(), b"<svg/>"
    rows["universes"][0]["image_sha256"] = hashlib.sha256(content).hexdigest()
    problems = importer.problems(rows, images=pictures() | {"covers/one.png": content})
    words = "the file images/covers/one.png is not a JPEG, PNG, WebP, GIF or AVIF picture"
    assert f"universes.jsonl:1: image: {words}" in problems


def test_a_picture_path_does_not_lead_out_of_the_folder(importer, tmp_path):
    (tmp_path / "secret.png").write_bytes(picture())
    rows = small_set()
    rows["arcs"][0]["image"] = "../../secret.png"
    folder = write_set(tmp_path / "escape", rows)
    (folder / "images" / "covers" / "two.jpg").unlink()
    (folder / "images" / "covers" / "two.jpg").symlink_to(tmp_path / "secret.png")
    problems = importer.problems(folder)
    assert "arcs.jsonl:1: image: takes a path below images/, not '../../secret.png'" in problems
    assert "creators.jsonl:2: image: the file images/covers/two.jpg lies outside the folder" in problems


def test_a_missing_field_is_named(importer):
    rows = small_set()
    del rows["issues"][1]["number"]
    assert importer.problems(rows) == ["issues.jsonl:2: number: is missing"]


def test_a_line_that_is_no_record_is_named(importer):
    rows = small_set()
    rows["arcs"] = ['{"id": 1,', "[1]", "7"]
    problems = importer.problems(rows)
    assert problems[:3] == [f"arcs.jsonl:{line}: is not a JSON object on one line" for line in (1, 2, 3)]


def test_problems_are_told_by_kind_with_their_number_and_the_first_lines(importer):
    rows = small_set()
    rows["publishers"][0]["country"] = "France"
    rows["issues"][0]["price"] = "free"
    rows["issues"][2]["series_id"] = 99
    assert [problem.partition(": takes")[0] for problem in importer.problems(rows)] == [
        "publishers.jsonl:1: country",
        "issues.jsonl:1: price",
        "issues.jsonl:3: series_id: series.jsonl has no id 99",
    ]
    rows["creators"] = [entity(number, "", f"nobody-{number}") for number in range(1, 1001)]
    attribution = {"entity": "arc", "entity_id": 999, "source": "W", "url": "https://arcs.example/"}
    rows["attributions"] = [attribution | {"id": number} for number in range(1, 8)]
    with pytest.raises(ImportFailedError) as failure:
        importer.run(rows)
    lines = str(failure.value).splitlines()
    assert lines == [  # none about rows that refer to the invalid creators
        lines[0],
        "creators.jsonl: name: 1,000 times, first:",
        *(f"  creators.jsonl:{number}: name: must not be empty" for number in range(1, 6)),
        "issues.jsonl:1: price: takes an amount of at most 9 digits and 3 decimals, not 'free'",
        "issues.jsonl:3: series_id: series.jsonl has no id 99",
        "attributions.jsonl: entity_id: 7 times, first:",
        *(f"  attributions.jsonl:{number}: entity_id: arcs.jsonl has no id 999" for number in range(1, 6)),
    ]


def test_an_error_in_the_last_file_leaves_nothing_behind(importer):
    before = importer.everything()
    problems = importer.problems(_broken("issue_ratings", 2, rating=0))
    assert problems == ["issue_ratings.jsonl:3: rating: takes a number from 1 to 5, not 0"]
    assert importer.everything() == before
    assert importer.files() == []


def test_a_failure_while_storing_takes_rows_and_pictures_back(importer):
    importer.query("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$")
    importer.query(
        "CREATE TRIGGER refuse BEFORE INSERT ON issue_rating FOR EACH ROW EXECUTE FUNCTION refuse()"
    )
    before = importer.everything()
    with pytest.raises(Exception, match="no"):
        importer.run(small_set())
    assert importer.everything() == before
    assert importer.files() == []
    importer.query("DROP FUNCTION refuse() CASCADE")


def test_a_folder_without_a_data_set_is_refused(importer, tmp_path):
    (tmp_path / "empty").mkdir()
    assert importer.problems(tmp_path / "empty") == [
        f"{tmp_path / 'empty'}: holds no file of a data set, such as issues.jsonl"
    ]
    folder = write_set(tmp_path / "newer", small_set())
    (folder / "meta.json").write_text('{"format": 2}')
    assert importer.problems(folder) == ["meta.json: format: takes 1, not 2"]
