"""Random queries of a random catalog, compared with the documented rules written out in plain Python."""

import random
import unicodedata
from datetime import date, timedelta
from functools import cache, partial

import pytest
from sqlalchemy import text

from tests.api.api_client import serve_catalog

QUERIES = 40  # for each parameter of a list, but at most 400 for a list
LETTERS = "aAáÁbeEéñ%_\\1"
DAYS = [date(2019, 12, 31) + timedelta(days=each * 17) for each in range(8)]
MOMENTS = [f"2020-0{month}-01T00:00:00Z" for month in range(1, 7)]


# The catalog: plain records that describe the stored objects.


def word(chance: random.Random) -> str:
    """One to four characters, including those that are special in LIKE."""
    return "".join(chance.choices(LETTERS, k=chance.randint(1, 4)))


def name(chance: random.Random) -> str:
    """One to three words."""
    return " ".join(word(chance) for _ in range(chance.randint(1, 3)))


def some(chance: random.Random, rows: list[dict], most: int = 3) -> list[dict]:
    """A few of the rows, perhaps none."""
    return chance.sample(rows, chance.randint(0, most))


def known(chance: random.Random, number: int) -> dict:
    """External ids, each set or None."""
    return {key: chance.choice([None, number]) for key in ("cv_id", "gcd_id")}


def series_fields(chance: random.Random, number: int, publishers: list, imprints: list) -> dict:
    """The fields of a random series."""
    imprint = chance.choice([None, *imprints])
    return {
        "name": name(chance),
        "alt_names": [name(chance) for _ in range(chance.randint(0, 2))],
        "language": chance.choice(["en", "it", ""]),
        "volume": number,
        "year_began": chance.randint(2000, 2002),
        "year_end": chance.choice([None, 2003, 2004]),
        "series_type": chance.choice([10, 13]),
        "status": chance.randint(1, 4),
        "publisher": imprint["publisher"] if imprint else chance.choice(publishers),
        "imprint": imprint,
        **known(chance, number),
    }


def issue_fields(chance: random.Random, number: int, series: list, links: dict, roles: list[int]) -> dict:
    """The fields of a random issue; its number is unique."""
    return {
        "series": chance.choice(series),
        "number": f"{word(chance)}{number % 10}{'aA'[number % 2]}{number // 10}",
        "alt_number": chance.choice(["", "1", "é1", "É1"]),
        "cover_date": chance.choice(DAYS),
        "store_date": chance.choice([None, *DAYS]),
        "foc_date": chance.choice([None, None, *DAYS]),
        "rating": chance.choice([1, 2, 3]),
        "sku": chance.choice(["", "a1", "A1", "b2"]),
        "upc": chance.choice(["", "761", "76_1", "A%7", "a%7"]),
        "cover_hash": chance.choice(["", "0123456789abcdef"]),
        "credits": [
            {"creator": each, "roles": sorted(chance.sample(roles, chance.randint(1, 2)))}
            for each in some(chance, links["creator"])
        ],
        **{f"{kind}s": some(chance, links[kind]) for kind in ("character", "team", "universe")},
        **known(chance, number),
    }


def stored(make, kind: str, fields: dict) -> dict:
    """Make an object from fields that refer to others by their records; returns its record with the id."""

    def plain(value):
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, dict):
            return value["id"] if "id" in value else {key: plain(each) for key, each in value.items()}
        return value

    return fields | {"id": getattr(make, kind)(**{key: plain(value) for key, value in fields.items()}).id}


def build(make, session, chance: random.Random) -> dict[str, list[dict]]:
    """Make a small random catalog; returns its records by kind."""
    publishers = [stored(make, "publisher", {"name": name(chance), **known(chance, n)}) for n in range(1, 5)]
    for each in publishers:
        each["alt_names"] = [name(chance) for _ in range(chance.randint(0, 2))]
        session.execute(
            text("UPDATE publisher SET alt_names = :names WHERE id = :id"),
            {"names": each["alt_names"], "id": each["id"]},
        )
    session.commit()
    imprints = [
        stored(make, "imprint", {"name": name(chance), "publisher": chance.choice(publishers)})
        for _ in range(4)
    ]
    links = {
        kind: [stored(make, kind, {"name": name(chance), **known(chance, n)}) for n in range(1, 6)]
        for kind in ("creator", "character", "team")
    }
    links["universe"] = [
        stored(
            make,
            "universe",
            {"name": f"{name(chance)} {n}", "designation": name(chance), "publisher": publishers[0]},
        )
        for n in range(5)
    ]
    series = [stored(make, "series", series_fields(chance, n, publishers, imprints)) for n in range(1, 13)]
    roles = [1, 7, 22]
    issues = [stored(make, "issue", issue_fields(chance, n, series, links, roles)) for n in range(1, 61)]
    session.commit()
    catalog = {"publisher": publishers, "series": series, "issue": issues, **links}
    for kind, rows in catalog.items():
        for row in rows:
            row["modified"] = chance.choice(MOMENTS)
            moment = {"moment": row["modified"], "id": row["id"]}
            session.execute(
                text(f"UPDATE {kind} SET modified = CAST(:moment AS timestamptz) WHERE id = :id"), moment
            )
    session.commit()
    for row in series:
        row["issues"] = [issue for issue in issues if issue["series"] is row]
    return catalog


# The rules: whether a record matches a value.


@cache
def fold(value: str) -> str:
    """A text without case and accents."""
    parts = unicodedata.normalize("NFKD", value)
    return "".join(each for each in parts if not unicodedata.combining(each)).lower()


def joined(row: dict) -> str:
    """The alternative names, separated by spaces."""
    return " ".join(row["alt_names"])


def phrase(value, row, of=lambda row: row["name"]):
    """A text contains the value, whatever the case and accents."""
    return fold(value) in fold(of(row))


def part(value, row, of):
    """A text contains the value in any case."""
    return value.upper() in (of(row) or "").upper()


@cache
def key(value: str) -> str:
    """A text without case, accents, signs, spaces and a leading article, unless nothing would be left."""
    folded = fold(value)
    bare = "".join(filter(str.isalnum, folded.removeprefix("a ")))
    return bare or "".join(filter(str.isalnum, folded)) or folded.strip()


def words(value, row, *of):
    """Each word of the value that counts is in one of the names; case, accents and signs do not matter."""
    parts = value.split()
    counted = [part for part in parts if any(map(str.isalnum, part))] or parts
    return all(
        any(fold(part) in fold(get(row)) or key(part) in key(get(row)) for get in of) for part in counted
    )


def named(row: dict) -> str:
    """The name."""
    return row["name"]


def same(value, row, of):
    """A text is the value, in any case."""
    return value.upper() == of(row).upper()


def number(value, row, of):
    """A number is the value."""
    return float(value) == of(row)


def missing(value, row, field):
    """An external id is missing or not, as a boolean value says."""
    return (row[field] is None) == (value.lower() in ("true", "1"))


def has(value, row, field):
    """One of the linked objects has the id."""
    return any(each["id"] == float(value) for each in row[field])


def credited(value, row):
    """A creator has a credit."""
    return any(each["creator"]["id"] == float(value) for each in row["credits"])


def in_role(value, row):
    """A credit has one of several roles."""
    return any(float(each) in credit["roles"] for credit in row["credits"] for each in value.split(","))


def later(value, row):
    """`modified` is later than the value; all timestamps here have the same format."""
    return row["modified"] > value


def day(value, row, field):
    """A date is the value."""
    return row[field] == date.fromisoformat(value)


def after(value, row, field):
    """A date is in a range that begins with the value."""
    return row[field] is not None and row[field] >= date.fromisoformat(value)


def before(value, row, field):
    """A date is in a range that ends with the value."""
    return row[field] is not None and row[field] <= date.fromisoformat(value)


def imprint_name(row):
    """The name of the imprint, if there is one."""
    return row["imprint"] and row["imprint"]["name"]


def identified() -> dict:
    """Rules of the external ids and of `modified_gt`, with values to try."""
    return {
        "cv_id": (partial(number, of=lambda row: row["cv_id"]), ["1", "2.0", "3", "0"]),
        "gcd_id": (partial(number, of=lambda row: row["gcd_id"]), ["1", "2", "4.00"]),
        "modified_gt": (later, MOMENTS),
    }


def missing_rules() -> dict:
    """Rules of `missing_*`."""
    spelled = ["true", "1", "False", "0"]
    return {f"missing_{field}": (partial(missing, field=field), spelled) for field in ("cv_id", "gcd_id")}


def of_series(prefix: str, of) -> dict:
    """Rules about the series that `of` returns for a row."""
    return {
        f"{prefix}name": (lambda value, row: words(value, of(row), named), None),
        f"{prefix}alt_names": (lambda value, row: phrase(value, of(row), joined), None),
        f"{prefix}q": (lambda value, row: words(value, of(row), named, joined), None),
        f"{prefix}volume": (partial(number, of=lambda row: of(row)["volume"]), ["1", "2", "3.0", "99"]),
        f"{prefix}year_began": (
            partial(number, of=lambda row: of(row)["year_began"]),
            ["2000", "2001", "1999"],
        ),
        "publisher_id": (partial(number, of=lambda row: of(row)["publisher"]["id"]), ["1", "2", "3"]),
        "publisher_name": (partial(part, of=lambda row: of(row)["publisher"]["name"]), None),
        "imprint_id": (partial(number, of=lambda row: (of(row)["imprint"] or {}).get("id")), ["1", "2"]),
        "imprint_name": (partial(part, of=lambda row: imprint_name(of(row))), None),
    }


IDS = ["1", "2", "3", "4", "5.0", "6"]
CONTENTS = {
    "creator_id": (credited, IDS),
    "role_id": (in_role, ["1", "7", "22", "7,22", "1,22", "2", "3,1"]),
    **{f"{kind}_id": (partial(has, field=f"{kind}s"), IDS) for kind in ("character", "team", "universe")},
}
TYPES, RATINGS = {10: "Trade Paperback", 13: "Single Issue"}, {1: "Unknown", 2: "Everyone", 3: "Teen"}
WRITTEN = [each.isoformat() for each in DAYS] + ["2020-02-02", "1999-01-01", "2030-01-01"]
# list → parameter → (rule, values to try, or None for random words)
RULES = {
    **{kind: {"name": (phrase, None), **identified()} for kind in ("creator", "character", "team")},
    "universe": {
        "name": (phrase, None),
        "designation": (partial(part, of=lambda row: row["designation"]), None),
        "modified_gt": (later, MOMENTS),
    },
    "publisher": {
        "name": (phrase, None),
        "alt_names": (partial(phrase, of=joined), None),
        "q": (lambda value, row: words(value, row, named, joined), None),
        **identified(),
    },
    "series": {
        **of_series("", lambda row: row),
        "year_end": (partial(number, of=lambda row: row["year_end"]), ["2003", "2004", "2001"]),
        "language": (lambda value, row: row["language"] == value, ["en", "it", "fr"]),
        "status": (lambda value, row: row["status"] == int(value), ["1", "2", "3", "4"]),
        "series_type_id": (partial(number, of=lambda row: row["series_type"]), ["10", "13.0", "5"]),
        "series_type": (partial(part, of=lambda row: TYPES[row["series_type"]]), ["paper", "ISSUE", "e i"]),
        **{
            name: (lambda value, row, rule=rule: any(rule(value, issue) for issue in row["issues"]), values)
            for name, (rule, values) in CONTENTS.items()
        },
        **identified(),
        **missing_rules(),
    },
    "issue": {
        **of_series("series_", lambda row: row["series"]),
        "number": (partial(same, of=lambda row: row["number"]), None),
        "alt_number": (partial(same, of=lambda row: row["alt_number"]), ["1", "É1", "é1", "e1"]),
        "cover_year": (lambda value, row: row["cover_date"].year == float(value), ["2019", "2020.0", "0"]),
        "cover_month": (lambda value, row: row["cover_date"].month == float(value), ["1", "02", "12", "13"]),
        "series_id": (partial(number, of=lambda row: row["series"]["id"]), IDS),
        "rating": (partial(same, of=lambda row: RATINGS[row["rating"]]), ["TEEN", "unknown", "Every"]),
        **{
            field: (partial(same, of=lambda row, field=field: row[field]), ["a1", "B2", "761", "A%7", "a_7"])
            for field in ("sku", "upc")
        },
        "upc_starts_with": (lambda value, row: row["upc"].startswith(value), ["7", "76_", "A", "a%", "_"]),
        "cover_hash": (partial(same, of=lambda row: row["cover_hash"]), ["0123456789ABCDEF", "0123"]),
        "store_date": (partial(day, field="store_date"), WRITTEN),
        "foc_date": (partial(day, field="foc_date"), WRITTEN),
        **{
            f"{field}_range_{side}": (partial(rule, field=field), WRITTEN)
            for field in ("cover_date", "store_date", "foc_date")
            for side, rule in (("after", after), ("before", before))
        },
        **CONTENTS,
        **identified(),
        **missing_rules(),
    },
}  # fmt: skip


def query(chance: random.Random, kind: str, rows: list[dict]) -> list[tuple[str, str]]:
    """One to three random parameters of a list."""
    pairs = []
    for each in chance.sample(sorted(RULES[kind]), chance.choice([1, 1, 2, 3])):
        values = RULES[kind][each][1]
        if values is None:  # a part of an existing text, or random words
            row = chance.choice(rows)
            source = row.get("number") or name(chance) if each == "number" else piece(chance, row)
            values = [source, source.upper(), source.lower(), word(chance), word(chance)[:1]]
        pairs.append((each, chance.choice(values).strip()))
    return pairs


def piece(chance: random.Random, row: dict) -> str:
    """A part of one of the names in a record."""
    row = row.get("series", row)
    whole = chance.choice([row["name"], joined(row) if "alt_names" in row else row["name"]])
    start = chance.randrange(max(1, len(whole)))
    return whole[start : start + chance.randint(1, 6)]


@pytest.fixture(scope="module")
def world(cluster, template, media_folder):
    """A served random catalog, and its records."""
    with serve_catalog(cluster, template, "random_filters", media_folder) as site:
        with site.make.single_commit():
            catalog = build(site.make, site.session, random.Random(3))
        yield site, catalog


@pytest.mark.parametrize("kind", sorted(RULES))
def test_a_random_query_finds_what_the_rules_say(world, kind):
    site, catalog = world
    chance, rows = random.Random(kind), catalog[kind]
    sizes = set()
    for _ in range(min(400, QUERIES * len(RULES[kind]))):
        asked_for = query(chance, kind, rows)
        wanted = {
            row["id"]
            for row in rows
            if all(RULES[kind][each][0](value, row) for each, value in asked_for if value)
        }
        found = site.ids(kind, *asked_for)
        assert (set(found), len(found)) == (wanted, len(wanted)), asked_for
        sizes.add(len(wanted))
    assert {0, 1} <= sizes  # the queries were neither all too wide
    assert max(sizes) > len(rows) * 0.7  # nor all too narrow
