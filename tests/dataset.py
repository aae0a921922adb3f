"""Small data sets for tests: rows as dictionaries, written in the format that imports read."""

import json
from pathlib import Path

from PIL import Image

from tests.pictures import encoded


def picture(color: str = "red", size: tuple[int, int] = (20, 30), form: str = "PNG", **options) -> bytes:
    """The bytes of a picture of one colour."""
    return encoded(Image.new("RGB", size, color), form, **options)


def entity(identifier: int, name: str, slug: str, **more) -> dict:
    """A row with the fields that all named kinds have; every row has a different creation time."""
    return {
        "id": identifier,
        "name": name,
        "slug": slug,
        "desc": "",
        "cv_id": None,
        "gcd_id": None,
        "created_on": f"2024-01-02T03:04:05.{identifier:06}Z",
        "modified": f"2025-02-03T04:05:06.{identifier:06}Z",
        **more,
    }


def series(identifier: int, name: str, slug: str, **more) -> dict:
    """A row of series.jsonl."""
    return (
        entity(
            identifier,
            name,
            slug,
            sort_name=name,
            alt_names=[],
            language="en",
            volume=1,
            year_began=2020,
            year_end=None,
            series_type_id=13,
            status=4,
            publisher_id=1,
            imprint_id=None,
            collection=False,
            genre_ids=[],
            associated_ids=[],
        )
        | more
    )


def issue(identifier: int, series_id: int, number: str, **more) -> dict:
    """A row of issues.jsonl."""
    return {
        "id": identifier,
        "series_id": series_id,
        "slug": f"issue-{identifier}",
        "number": number,
        "alt_number": "",
        "title": "",
        "story_titles": [],
        "cover_date": "2020-05-01",
        "cover_date_precision": "day",
        "store_date": None,
        "foc_date": None,
        "price": None,
        "currency": "USD",
        "age_rating_id": 1,
        "sku": "",
        "isbn": "",
        "upc": "",
        "page_count": None,
        "desc": "",
        "desc_is_solicitation": False,
        "image": "",
        "cover_hash": "",
        "arc_ids": [],
        "character_ids": [],
        "team_ids": [],
        "universe_ids": [],
        "reprint_ids": [],
        "cv_id": None,
        "gcd_id": None,
        "created_by_id": 1,
        "edited_by_id": 1,
        "created_on": f"2024-03-02T03:04:05.{identifier:06}Z",
        "modified": f"2025-04-03T04:05:06.{identifier:06}Z",
        **more,
    }


def user(identifier: int, name: str, **more) -> dict:
    """A row of users.jsonl."""
    return {
        "id": identifier,
        "username": name,
        "email": f"{name}@example.org",
        "password": f"{name}-password",
        "api_token": f"{identifier:064x}",
        "is_staff": False,
        "is_superuser": False,
        "groups": [],
        "supporter_tier": "",
        "supporter_until": None,
        "bio": "",
        "date_joined": "2021-08-05T12:00:00.000000Z",
        **more,
    }


def small_set() -> dict[str, list[dict]]:
    """A data set in which each field has a value in some row; ids have no gaps, links are mutual."""
    return {
        "genres": [{"id": 1, "name": "Western"}, {"id": 2, "name": "Sea Tales"}],
        "series_types": [
            {"id": 6, "name": "Annual Series"},
            {"id": 10, "name": "Trade Paperback"},
            {"id": 13, "name": "Single Issue"},
            {"id": 14, "name": "Omnibus"},
        ],
        "roles": [
            {"id": 1, "name": "Writer", "order": 1},
            {"id": 2, "name": "Cover", "order": 2},
            {"id": 3, "name": "Letterer", "order": 3},
        ],
        "age_ratings": [{"id": 1, "name": "Unknown"}, {"id": 2, "name": "Teen"}],
        "users": [
            user(1, "admin", is_staff=True, is_superuser=True, bio="Runs it.\nAll of it."),
            user(2, "Editor", groups=["editor", "letterers"]),
            user(3, "reader", supporter_tier="backer", supporter_until="2030-01-01T00:00:00.000000Z"),
        ],
        "publishers": [
            entity(
                1,
                "Éditions du Port",
                "editions-du-port",
                desc='Quotes "and" \\back\\slashes,\n{new} lines\tand tabs.',
                cv_id=11,
                gcd_id=12,
                alt_names=["Port, Éditions du", 'The "Harbour"', "back\\slash", "{braces}", "NULL"],
                founded=1950,
                country="FR",
                image="logos/port.png",
            ),
            entity(2, "Tandem", "tandem", alt_names=[], founded=None, country="US", image=""),
        ],
        "imprints": [
            entity(1, "Petit Port", "petit-port", publisher_id=1, founded=1990, image="logos/port.png")
        ],
        "universes": [
            entity(1, "Earth 1", "earth-1", publisher_id=2, designation="Earth 1", image="covers/one.png"),
            entity(2, "Earth 1", "earth-1-1", publisher_id=2, designation="Earth 2", image=""),
        ],
        "creators": [
            entity(
                1,
                "Ana Gómez",
                "ana-gomez",
                alias=["A. G.", "Ana, the"],
                birth="1890-01-01",
                birth_precision="year",
                death=None,
                death_precision="day",
                image="",
            ),
            entity(
                2,
                "Bo Li",
                "bo-li",
                cv_id=21,
                alias=[],
                birth=None,
                birth_precision="day",
                death="2020-02-01",
                death_precision="month",
                image="covers/two.jpg",
            ),
            entity(
                3,
                "Bo Li",
                "bo-li-1",
                alias=[],
                birth=None,
                birth_precision="day",
                death=None,
                death_precision="day",
                image="",
            ),
        ],
        "teams": [
            entity(1, "The Tars", "the-tars", creator_ids=[1, 2], universe_ids=[1], image="covers/one.png")
        ],
        "characters": [
            entity(
                1,
                "Salt",
                "salt",
                alias=["Pepper's friend"],
                creator_ids=[1],
                team_ids=[1],
                universe_ids=[1, 2],
                image="covers/one.png",
            ),
            entity(2, "漫画", "manga-hero", alias=[], creator_ids=[], team_ids=[], universe_ids=[], image=""),
        ],
        "arcs": [entity(1, "Low Tide", "low-tide", image="covers/one.png")],
        "series": [
            series(
                1, "The Lighthouse", "the-lighthouse-2020", sort_name="Lighthouse", genre_ids=[1, 2], cv_id=5
            ),
            series(
                2,
                "Il Faro",
                "il-faro-1990",
                language="it",
                alt_names=["The Lighthouse in Italian"],
                volume=2,
                year_began=1990,
                year_end=1991,
                series_type_id=6,
                status=2,
                imprint_id=1,
                collection=True,
                associated_ids=[3],
            ),
            series(3, "Faro Tutto", "faro-tutto-2001", series_type_id=14, publisher_id=2, associated_ids=[2]),
        ],
        "issues": [
            issue(
                1,
                1,
                "1",
                alt_number="601",
                cover_date_precision="month",
                story_titles=["One, Two", 'A "quoted" one', ""],
                store_date="2020-03-04",
                foc_date="2020-02-10",
                price="3.99",
                currency="EUR",
                age_rating_id=2,
                sku="AUG200001",
                upc="03600029145200111",
                page_count=32,
                desc="It begins.",
                desc_is_solicitation=True,
                image="covers/one.png",
                cover_hash="00ff00ff00ff00ff",
                arc_ids=[1],
                character_ids=[1, 2],
                team_ids=[1],
                universe_ids=[1],
                reprint_ids=[3],
                cv_id=101,
                gcd_id=102,
                created_by_id=2,
                edited_by_id=3,
            ),
            issue(2, 1, "½", price="1500.00", currency="ITL"),
            issue(3, 2, "1", title="Tutto", isbn="9780306406157", image="covers/two.jpg", reprint_ids=[1]),
        ],
        "credits": [
            {"id": 1, "issue_id": 1, "creator_id": 1, "role_ids": [1, 2]},
            {"id": 2, "issue_id": 1, "creator_id": 2, "role_ids": [3]},
            {"id": 3, "issue_id": 3, "creator_id": 3, "role_ids": []},
        ],
        "variants": [
            variant(
                1, 1, name="Foil", price="4.99", currency="GBP", sku="AUG200002", upc="03600029145200121"
            ),
            variant(2, 1, image="covers/two.jpg"),
            variant(3, 3),
        ],
        "attributions": [
            {"id": 1, "entity": "issue", "entity_id": 1, "source": "G", "url": "https://example.org/1"},
            {
                "id": 2,
                "entity": "character",
                "entity_id": 2,
                "source": "W",
                "url": "http://example.org/ü?x=1",
            },
        ],
        "external_ids": [
            {
                "id": 1,
                "entity": "issue",
                "entity_id": 1,
                "source": "metron",
                "external_id": "4711",
                "scope": "",
            },
            {
                "id": 2,
                "entity": "series",
                "entity_id": 1,
                "source": "wikidata",
                "external_id": "Q42",
                "scope": "volume",
            },
        ],
        "issue_ratings": [
            rating(1, 1, 2, 5, "2025-06-01T00:00:00.000000Z"),
            rating(2, 1, 3, 2, "2025-07-01T00:00:00.000000Z"),
            rating(3, 2, 3, 4, "2025-05-01T00:00:00.000000Z"),
        ],
    }


def variant(identifier: int, issue_id: int, **more) -> dict:
    """A row of variants.jsonl."""
    empty = {"name": "", "price": None, "currency": "USD", "sku": "", "upc": "", "image": "covers/one.png"}
    return {"id": identifier, "issue_id": issue_id, **empty, **more}


def rating(identifier: int, issue_id: int, user_id: int, stars: int, created_on: str) -> dict:
    """A row of issue_ratings.jsonl."""
    return {
        "id": identifier,
        "issue_id": issue_id,
        "user_id": user_id,
        "rating": stars,
        "created_on": created_on,
    }


def pictures() -> dict[str, bytes]:
    """The picture files that the rows of the small set refer to."""
    return {
        "logos/port.png": picture("blue", (64, 64)),
        "covers/one.png": picture("green", (40, 60)),
        "covers/two.jpg": picture("yellow", (60, 40), "JPEG"),
    }


def write_set(folder: Path, rows: dict[str, list[dict]], images: dict[str, bytes] | None = None) -> Path:
    """Write a data set; rows that are strings are written unchanged."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (pictures() if images is None else images).items():
        target = folder / "images" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    for name, records in rows.items():
        lines = (each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records)
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "meta.json").write_text(json.dumps({"format": 1}), encoding="utf-8")
    return folder


def read_set(folder: Path) -> dict[str, list[dict]]:
    """The rows of a data set by file."""
    return {
        path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    }
