"""Numbered writes to the catalog, and how to read the numbers back from responses.

A topic is a value in the catalog, such as a name, that every write sets to its next number. Every body that
shows the value shows the number.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb import models
from comicsdb.catalog import Catalog
from comicsdb.library.ratings import rate
from tests.factories import Factories

BITS = 10  # number of characters to link, and of roles of a credit: they encode a number in binary
DELETIONS = 300  # issues that exist to be deleted
RATERS = 1000
DAY = date(2020, 5, 1)

Write = Callable[[Catalog, int], None]


@dataclass(frozen=True)
class TopicWrite:
    """A write that sets one or more topics to their next number in one transaction."""

    names: tuple[str, ...]
    write: Write
    max_number: int = 2**BITS - 1


class WrittenObjects:
    """The ids of the objects that topics write to."""

    def __init__(self, session: Session):
        make = Factories(Catalog(session))
        self.publisher = make.publisher(name="Publisher 0").id
        self.imprint = make.imprint(name="Imprint 0", publisher=self.publisher).id
        self.universe = make.universe(name="Universe 0", publisher=self.publisher).id
        self.creator = make.creator(name="Creator 0").id
        self.team = make.team(name="Team 0").id
        self.arc = make.arc(name="Arc 0").id
        self.characters = [make.character(name="Character 0").id for _ in range(BITS)]
        self.roles = [role.id for role in session.query(models.Role).order_by(models.Role.order).limit(BITS)]
        self.genre, self.series_type, self.age_rating = 1, 11, 3
        for model in (models.Genre, models.SeriesType, models.AgeRating):
            name = f"{model.__name__} 0"
            each = getattr(self, model.__tablename__)
            make.catalog.update(session.get(model, each), {"name": name})
        make.catalog.update(session.get(models.Role, self.roles[0]), {"name": "Role 0"})
        own = {"publisher": self.publisher, "imprint": self.imprint, "genres": [self.genre]}
        self.series = make.series(name="Series 0", series_type=self.series_type, **own).id
        self.other_series = make.series(name="Other 0", publisher=self.publisher, associated=[self.series]).id
        self.growing = make.series(name="Growing", series_type=self.series_type, **own).id
        self.shrinking = make.series(name="Shrinking", publisher=self.publisher).id
        other = make.issue(series=self.other_series).id
        self.issue = make.issue(
            series=self.series,
            rating=self.age_rating,
            arcs=[self.arc],
            teams=[self.team],
            universes=[self.universe],
            reprints=[other],
            desc="Text 0",
            credits=[{"creator": self.creator, "roles": []}],
            variants=[{"name": "Variant 0", "image": "variants/one.png"}],
        ).id
        session.execute(
            text(
                "INSERT INTO issue (series_id, slug, number, cover_date)"
                " SELECT :series, 'doomed-' || n, n::text, :day FROM generate_series(1, :most) n"
            ),
            {"series": self.shrinking, "day": DAY, "most": DELETIONS},
        )
        session.execute(
            text(
                "INSERT INTO user_account (username, email, password)"
                " SELECT 'rater' || n, 'rater' || n || '@example.org', '!' FROM generate_series(1, :most) n"
            ),
            {"most": RATERS},
        )
        session.commit()
        issues = text("SELECT id FROM issue WHERE series_id = :series ORDER BY id")
        self.issues_to_delete = list(session.scalars(issues, {"series": self.shrinking}))
        self.raters = list(session.scalars(text("SELECT id FROM user_account WHERE username LIKE 'rater%'")))
        self.created_issues: list[int] = []  # in the growing series, added by the writers

    # Writes.

    def rename(self, model, name: str) -> Write:
        """A write that gives an object a name with the number in it."""
        return lambda catalog, n: catalog.update(self.get(catalog, model), {"name": f"{name} {n}"})

    def get(self, catalog: Catalog, model, attribute: str = ""):
        """The object of a model that topics write to."""
        return catalog.get(model, getattr(self, attribute or model.__tablename__))

    def rename_two(self, catalog: Catalog, n: int) -> None:
        """Rename two objects in one transaction: no reader may see only one of the changes."""
        catalog.update(catalog.get(models.Character, self.characters[0]), {"name": f"Character {n}"})
        catalog.update(self.get(catalog, models.Arc), {"name": f"Arc {n}"})

    def rename_role(self, catalog: Catalog, n: int) -> None:
        catalog.update(catalog.get(models.Role, self.roles[0]), {"name": f"Role {n}"})

    def rename_other(self, catalog: Catalog, n: int) -> None:
        catalog.update(self.get(catalog, models.Series, "other_series"), {"name": f"Other {n}"})

    def describe(self, catalog: Catalog, n: int) -> None:
        catalog.update(self.get(catalog, models.Issue), {"desc": f"Text {n}"})

    def link(self, catalog: Catalog, n: int) -> None:
        catalog.update(self.get(catalog, models.Issue), {"characters": _digits(self.characters, n)})

    def credit(self, catalog: Catalog, n: int) -> None:
        credit = {"creator": self.creator, "roles": _digits(self.roles, n)}
        catalog.update(self.get(catalog, models.Issue), {"credits": [credit]})

    def set_variant(self, catalog: Catalog, n: int) -> None:
        variant = {"name": f"Variant {n}", "image": "variants/one.png"}
        catalog.update(self.get(catalog, models.Issue), {"variants": [variant]})

    def rate(self, catalog: Catalog, n: int) -> None:
        issue = self.get(catalog, models.Issue)
        rate(catalog.session, issue, self.raters[n - 1], 1 + n % 5, today=DAY)

    def create_issue(self, catalog: Catalog, n: int) -> None:
        values = {
            "series": self.growing,
            "number": str(n),
            "cover_date": DAY,
            "characters": self.characters[:1],
        }
        self.created_issues.append(catalog.create(models.Issue, values).id)

    def remove(self, catalog: Catalog, n: int) -> None:
        catalog.delete(catalog.get(models.Issue, self.issues_to_delete[n - 1]))

    def topics(self) -> list[list[TopicWrite]]:
        """The topics of each writer."""
        named = (
            *((models.Publisher, "Publisher"), (models.Imprint, "Imprint"), (models.Universe, "Universe")),
            *((models.Creator, "Creator"), (models.Team, "Team"), (models.Series, "Series")),
            *((models.Genre, "Genre"), (models.SeriesType, "SeriesType"), (models.AgeRating, "AgeRating")),
        )
        renames = [TopicWrite((name,), self.rename(model, name)) for model, name in named]
        renames += [TopicWrite(("Role",), self.rename_role), TopicWrite(("Other",), self.rename_other)]
        parts = [
            TopicWrite(("Text",), self.describe),
            TopicWrite(("links",), self.link),
            TopicWrite(("credit",), self.credit),
        ]
        parts += [
            TopicWrite(("Variant",), self.set_variant),
            TopicWrite(("Character", "Arc"), self.rename_two),
        ]
        numbers = [TopicWrite(("ratings",), self.rate, RATERS), TopicWrite(("created",), self.create_issue)]
        numbers += [TopicWrite(("deleted",), self.remove, DELETIONS)]
        return [renames, parts, numbers]

    # Addresses, and the numbers in their bodies.

    def addresses(self) -> dict[str, Callable[[dict], dict[str, int]]]:
        """By path, a function that returns the number of each topic that the body shows."""
        return {
            f"/api/issue/{self.issue}/": self.in_issue,
            f"/api/series/{self.series}/": self.in_series,
            f"/api/series/{self.growing}/": lambda body: {"created": body["issue_count"]},
            f"/api/series/{self.shrinking}/": lambda body: {"deleted": DELETIONS - body["issue_count"]},
            f"/api/series/{self.growing}/issue_list/": lambda body: {"created": body["count"]},
            f"/api/series/{self.shrinking}/issue_list/?page=last": lambda body: {
                "deleted": DELETIONS - body["count"]
            },
            f"/api/series/{self.series}/issue_list/": in_rows("Series", "issue"),
            f"/api/arc/{self.arc}/issue_list/": in_rows("Series", "issue"),
            f"/api/publisher/{self.publisher}/": named,
            f"/api/publisher/{self.publisher}/series_list/": self.in_list_of_series,
            f"/api/imprint/{self.imprint}/": lambda body: named(body) | named(body["publisher"]),
            f"/api/creator/{self.creator}/": named,
            f"/api/character/{self.characters[0]}/": named,
            "/api/series/": self.in_list_of_series,
            "/api/issue/?series_name=series": in_rows("Series", "issue"),
            f"/api/issue/?series_id={self.growing}": lambda body: {"created": body["count"]},
            f"/api/issue/?series_id={self.shrinking}&page=last": lambda body: {
                "deleted": DELETIONS - body["count"]
            },
            "/api/creator/": in_rows("Creator", "name"),
            "/api/team/?name=team": in_rows("Team", "name"),
        }

    def in_issue(self, body: dict) -> dict[str, int]:
        """The topics in the detail of the issue."""
        series, [credit] = body["series"], body["credits"]
        shown = [body["publisher"], body["imprint"], series, *series["genres"], series["series_type"]]
        shown += [body["rating"], *body["arcs"], *body["teams"], *body["universes"]]
        shown += [{"name": body["reprints"][0]["issue"]}, {"name": credit["creator"]}, *body["variants"]]
        shown += [each for each in body["characters"] if each["id"] == self.characters[0]]
        shown += [each for each in credit["role"] if each["id"] == self.roles[0]]
        found = {"Text": number(body["desc"]), "ratings": body["rating_count"]}
        found["links"] = _number(self.characters, {each["id"] for each in body["characters"]})
        found["credit"] = _number(self.roles, {each["id"] for each in credit["role"]})
        for each in shown:
            found |= named(each)
        return found

    def in_created_issue(self, body: dict) -> dict[str, int]:
        """The topics of other objects in the detail of an issue of the growing series."""
        series = body["series"]
        shown = [
            body["publisher"],
            body["imprint"],
            series["series_type"],
            *series["genres"],
            *body["characters"],
        ]
        return {name: value for each in shown for name, value in named(each).items()}

    def in_series(self, body: dict) -> dict[str, int]:
        """The topics in the detail of the series."""
        shown = [body, body["publisher"], body["imprint"], body["series_type"], *body["genres"]]
        shown += [{"name": each["series"]} for each in body["associated"]]
        found = {name: value for each in shown for name, value in named(each).items()}
        return found | {"ratings": body["rating_count"]}

    def in_list_of_series(self, body: dict) -> dict[str, int]:
        """The topics in the rows of our four series."""
        rows = {row["id"]: row for row in body["results"]}
        found = named({"name": rows[self.series]["series"]}) | named(
            {"name": rows[self.other_series]["series"]}
        )
        found |= named(rows[self.series]["publisher"]) | named(rows[self.series]["series_type"])
        found["created"] = rows[self.growing]["issue_count"]
        return found | {"deleted": DELETIONS - rows[self.shrinking]["issue_count"]}


def _digits(ids: list[int], n: int) -> list[int]:
    return [each for place, each in enumerate(ids) if n >> place & 1]


def _number(ids: list[int], chosen: set[int]) -> int:
    return sum(1 << place for place, each in enumerate(ids) if each in chosen)


def number(words: str) -> int:
    """The number in a text such as `Text 7`."""
    return int(re.search(r"\d+", words)[0])


def named(shown: dict) -> dict[str, int]:
    """The topic and its number, from an object named like `Creator 7`, or labelled `Series 7 (2020)`."""
    return {shown["name"].split()[0]: number(shown["name"])}


def in_rows(topic: str, field: str) -> Callable[[dict], dict[str, int]]:
    """A function that reads the topic from the first row that shows it."""

    def read(body: dict) -> dict[str, int]:
        return next(
            ({topic: number(row[field])} for row in body["results"] if row[field].startswith(topic)), {}
        )

    return read
