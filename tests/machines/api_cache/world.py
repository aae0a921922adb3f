"""The catalog of the property tests: a few linked objects of every kind, and a backdrop of many rows."""

from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session

from comicsdb import models
from comicsdb.accounts.passwords import Passwords, digest
from comicsdb.catalog import Catalog
from comicsdb.exchange.importing import import_set
from comicsdb.library.ratings import rate
from comicsdb.media.storage import FolderStorage
from comicsdb.models import ApiToken
from tests.dataset import small_set, write_set
from tests.factories import Factories
from tests.machines.propagation.world import KINDS, REFERENCE

TODAY = date(2020, 6, 1)
TOKEN = "cdb_" + "5" * 64
ROWS = 520  # of each backdrop list: more than NEAR_ROWS of the API's lists

_IDS = " UNION ALL ".join(
    f"SELECT '{kind}' AS kind, id FROM {kind}"
    + ("" if kind in REFERENCE else " WHERE slug NOT LIKE 'backdrop%'")
    for kind in KINDS
)
_VARIANTS = "SELECT issue_id, id FROM variant ORDER BY id"


class Ids:
    """The objects outside the backdrop: ids by kind, and variants by issue, in the form `Positions` needs."""

    def __init__(self, session: Session):
        self.rows: dict[str, set[int]] = defaultdict(set)
        for kind, each in session.execute(text(_IDS)):
            self.rows[kind].add(each)
        self.variants_of: dict[int, list[dict]] = defaultdict(list)
        for issue, each in session.execute(text(_VARIANTS)):
            self.variants_of[issue].append({"id": each})

    @property
    def all(self) -> set[tuple[str, int]]:
        """(kind, id) of every object."""
        return {(kind, each) for kind, ids in self.rows.items() for each in ids}


class Imports:
    """A data set that is imported repeatedly, with a few differences each time."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.rows = small_set()
        self.rows["users"][0]["username"] = "imported"  # 1 is the system account here
        self.passwords = Passwords("fast")
        self.number = 0

    def copy(self) -> "Imports":
        """A copy that can be changed independently."""
        copied = Imports(self.folder)
        copied.rows = deepcopy(self.rows)
        return copied

    def run(self, session: Session) -> None:
        """Import the set as it is now; raises ImportFailedError."""
        folder = write_set(self.folder / "set", self.rows)
        import_set(session, folder, FolderStorage(self.folder / "media"), self.passwords)


@dataclass
class SeedData:
    """What tests know about the catalog: rows that writers do not use, accounts, a data set, objects."""

    hidden: set[tuple[str, int]]
    users: tuple[int, ...]
    imports: Imports
    first: dict[str, int]  # kind → id of the first object that writers use; plus a second role
    backdrop: dict[str, int]  # kind → id of the object with a long list


def build(session: Session, folder: Path) -> SeedData:
    """Fill a migrated database that has only reference data, and commit."""
    catalog = Catalog(session)
    make = Factories(catalog)
    hidden = Ids(session).all - {("series_type", 13), ("age_rating", 1)}
    for code in ("digital_chapter", "trade_paperback"):  # writers may use these codes for their own types
        catalog.delete(make.series_type(code))
    _fill(session, catalog, make)
    users = (make.user().id, make.user().id)
    issues = session.query(models.Issue).order_by(models.Issue.id).all()
    for issue, user, stars in ((issues[0], users[0], 4), (issues[1], users[1], 2), (issues[2], users[0], 5)):
        rate(session, issue, user, stars, today=TODAY)
    session.commit()
    imports = Imports(folder)
    imports.run(session)
    ids = Ids(session).all - hidden
    first = {kind: min(each for name, each in ids if name == kind) for kind in KINDS}
    first["other_role"] = max(each for name, each in ids if name == "role")
    return SeedData(hidden, users, imports, first, _build_backdrop(session, make))


def add_token(session: Session, user_id: int) -> None:
    """Make TOKEN a token of an account."""
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=user_id))
    session.commit()


def _fill(session: Session, catalog: Catalog, make: Factories) -> None:
    """Create two or more objects of each kind; some have equal names or dates, so other values order them."""
    types, genres, ages, roles = [13], [], [], []
    for number, name in enumerate(("One", "Two")):
        types.append(catalog.create(models.SeriesType, {"name": f"Type {name}"}).id)
        genres.append(catalog.create(models.Genre, {"name": f"Genre {name}"}).id)
        ages.append(catalog.create(models.AgeRating, {"name": f"Age {name}"}).id)
        roles.append(catalog.create(models.Role, {"name": f"Role {name}", "order": 1010 + number}).id)
    publishers = [make.publisher() for _ in range(2)]
    imprints = [make.imprint(publisher=each) for each in publishers]
    universes = [make.universe(name="Ash", publisher=each) for each in publishers]
    creators = [make.creator() for _ in range(2)]
    teams = [make.team(creators=creators, universes=universes) for _ in range(2)]
    characters = [make.character(creators=creators, teams=teams, universes=universes) for _ in range(2)]
    arcs = [make.arc() for _ in range(2)]
    series = [
        make.series(publisher=publisher, imprint=imprint, genres=genres, series_type=series_type)
        for publisher, imprint, series_type in (
            (publishers[0], imprints[0], types[1]),
            (publishers[1], imprints[1], types[2]),
            (publishers[0], None, types[0]),
        )
    ]
    catalog.update(series[0], {"associated": [series[1].id, series[2].id]})
    issues = [
        make.issue(
            series=each,
            number=number,
            rating=ages[0],
            arcs=arcs,
            characters=characters,
            teams=teams,
            universes=universes,
            credits=[{"creator": creator.id, "roles": roles} for creator in creators],
            variants=[{"name": "Foil", "image": "variants/foil.png"}],
            attributions=[{"source": "W", "url": "https://a.example/"}],
        )
        for each in series
        for number in "12"
    ]
    catalog.update(issues[0], {"reprints": [issue.id for issue in issues[1:5]]})
    session.commit()


def _build_backdrop(session: Session, make: Factories) -> dict[str, int]:
    """Create many arcs; a series, arc, character and team with many issues; a publisher with many series."""
    publisher = make.publisher(name="Backdrop")
    parents = {"arc": make.arc(name="Backdrop"), "team": make.team(name="Backdrop")}
    parents["character"] = make.character(name="Backdrop")
    series = make.series(name="Backdrop", publisher=publisher)
    values = {"rows": ROWS, "series": series.id, "publisher": publisher.id}
    session.execute(
        text(
            "INSERT INTO issue (series_id, slug, number, cover_date, store_date)"
            " SELECT :series, CASE WHEN n > 1 THEN 'backdrop-' || n ELSE 'in-front-of-it' END, n::text,"
            " date '2020-01-01' + n / 7, CASE WHEN n % 3 > 0 THEN date '2020-01-05' END"
            " FROM generate_series(1, :rows) n"
        ),
        values,
    )
    for kind, parent in parents.items():
        session.execute(
            text(
                f"INSERT INTO issue_{kind} (issue_id, {kind}_id)"
                " SELECT id, :parent FROM issue WHERE series_id = :series"
            ),
            values | {"parent": parent.id},
        )
    session.execute(
        text(
            "INSERT INTO arc (slug, name)"
            " SELECT 'backdrop-' || n, 'Backdrop ' || n FROM generate_series(1, :rows) n"
        ),
        values,
    )
    session.execute(
        text(
            "INSERT INTO series (slug, name, sort_name, volume, year_began, series_type_id, publisher_id)"
            " SELECT 'backdrop-' || n, 'Backdrop ' || n, 'Backdrop ' || n, 1, 2020, 13, :publisher"
            " FROM generate_series(1, 110) n"
        ),
        values,
    )
    session.commit()
    return {kind: parent.id for kind, parent in parents.items()} | {
        "series": series.id,
        "publisher": publisher.id,
    }
