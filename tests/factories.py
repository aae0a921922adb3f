"""Objects for tests, created through the catalog service like those of any writer, and their history."""

import itertools
from contextlib import contextmanager
from datetime import date

from sqlalchemy import select

from comicsdb import models
from comicsdb.models import Group, History, User
from comicsdb.models.choices import SeriesTypeCode

_numbers = itertools.count(1)


class Factories:
    """Creates one object per call, with the objects that it requires, and commits.

    Values are those of the catalog service; a parent may be given as an object or an id.
    """

    def __init__(self, catalog):
        self.catalog = catalog
        self.session = catalog.session
        self._together = False

    @contextmanager
    def single_commit(self):
        """Commit everything that is created in the block together at its end, in a third of the time."""
        outermost, self._together = not self._together, True
        try:
            yield
        finally:
            self._together = not outermost
        if outermost:
            self.session.commit()

    def _make(self, model, values, **parents):
        """Create an object; parents that the values lack are created first, with their factories."""
        with self.single_commit():
            filled = values | {field: values.get(field) or make() for field, make in parents.items()}
            return self.catalog.create(model, {field: _id(value) for field, value in filled.items()})

    def _named(self, model, values, **parents):
        return self._make(model, {"name": f"{model.__name__} {next(_numbers)}"} | values, **parents)

    def publisher(self, **values):
        """A publisher."""
        return self._named(models.Publisher, values)

    def imprint(self, **values):
        """An imprint, of a new publisher unless one is given."""
        return self._named(models.Imprint, values, publisher=self.publisher)

    def universe(self, **values):
        """A universe, of a new publisher unless one is given."""
        return self._named(models.Universe, values, publisher=self.publisher)

    def creator(self, **values):
        """A creator."""
        return self._named(models.Creator, values)

    def team(self, **values):
        """A team."""
        return self._named(models.Team, values)

    def character(self, **values):
        """A character."""
        return self._named(models.Character, values)

    def arc(self, **values):
        """An arc."""
        return self._named(models.Arc, values)

    def series(self, **values):
        """A series of single issues that began in 2020, of a new publisher unless one is given."""
        name = values.setdefault("name", f"Series {next(_numbers)}")
        filled = {"sort_name": name, "volume": 1, "year_began": 2020, "series_type": 13} | values
        return self._make(models.Series, filled, publisher=self.publisher)

    def issue(self, **values):
        """Number 1 of a new series, unless the values say otherwise."""
        filled = {"number": "1", "cover_date": date(2020, 5, 1)} | values
        return self._make(models.Issue, filled, series=self.series)

    def variant(self, issue, **values):
        """A variant of an issue, whose picture does not exist."""
        made = models.Variant(issue_id=issue.id, **{"image": "variants/none.jpg"} | values)
        self.session.add(made)
        self.session.commit()
        return made

    def credit(self, issue, creator, *roles):
        """A credit of `creator` on `issue` in roles given by name, in addition to existing credits."""
        from comicsdb.catalog.parts import credits_of

        wanted = {each: sorted(role_ids) for each, role_ids in credits_of(self.session, issue.id).items()} | {
            creator.id: [self.role(name).id for name in roles]
        }
        self.catalog.update(
            issue, {"credits": [{"creator": each, "roles": role_ids} for each, role_ids in wanted.items()]}
        )
        self.session.commit()

    def role(self, name):
        """The role with a name."""
        return self.session.query(models.Role).filter_by(name=name).one()

    def series_type(self, code):
        """The series type with a code."""
        return self.session.query(models.SeriesType).filter_by(code=SeriesTypeCode(code)).one()

    def user(self, username=None, *, password="", groups=(), passwords=None, **values):
        """An account; `passwords` (the application's) hashes the password."""
        username = username or f"user{next(_numbers)}"
        user = User(
            username=username,
            email=values.pop("email", f"{username}@example.org"),
            password=passwords.hash(password) if passwords else "!",
            **values,
        )
        user.groups = [self.session.query(Group).filter_by(name=name).one() for name in groups]
        self.session.add(user)
        self.session.commit()
        return user


def history_of(session, kind, object_id):
    """The rows of an object's history, oldest first."""
    rows = select(History).where(History.kind == kind, History.object_id == object_id)
    return session.scalars(rows.order_by(History.id)).all()


def _id(value):
    """The id of an object, or of each object in a list; other values unchanged."""
    if isinstance(value, list):
        return [_id(each) for each in value]
    return value.id if isinstance(value, models.Base) else value
