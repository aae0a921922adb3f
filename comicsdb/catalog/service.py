"""The catalog service: writes of whole objects, and finding objects by id and slug."""

from contextlib import contextmanager

from psycopg.errors import ProgramLimitExceeded
from sqlalchemy import delete, inspect, select, text
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.catalog import parts, rules, slugs, uniqueness
from comicsdb.catalog.column_checks import NULL, PART_TABLES, column_problem
from comicsdb.catalog.deletion import collect_cascade, expunge_deleted, write_tombstones
from comicsdb.catalog.errors import ConflictError, GoneError, InvalidError, MovedError, NotFoundError
from comicsdb.catalog.kinds import Kind, kind_of
from comicsdb.catalog.unit_of_work import UnitOfWork, log_label
from comicsdb.i18n import _
from comicsdb.library import ratings
from comicsdb.models import FormerSlug, History, Issue, Series, Tombstone, User
from comicsdb.models.base import INTEGER_MAX, SYSTEM_USER_ID, AuthorsMixin, metadata
from comicsdb.models.choices import Precision

# An index entry has at most 2700 bytes: enough for 255 characters of any script, but not for any two such
# names.
TOO_LONG = _("Together these names are too long: shorten one of them.")


class Catalog:
    """The catalog for one account, within the session's transaction.

    `actor_id` is the acting account, None for commands, whose edits are attributed to the system account and
    have no author in the history. `actor_name` is for the log. Does not commit.
    """

    def __init__(
        self,
        session: Session,
        actor_id: int | None = None,
        reason: str | None = None,
        *,
        actor_name: str = "",
    ):
        self.session = session
        self.actor_id = actor_id
        self.unit = UnitOfWork.of(session)
        self.unit.actor_id = actor_id
        self.unit.actor_name = actor_name
        self.unit.reason = validated_reason(reason)

    @property
    def editor_id(self) -> int:
        """The account that what is written names as its editor."""
        return self.actor_id or SYSTEM_USER_ID

    def set_reason(self, reason: str) -> None:
        """Set the reason of all changes in this transaction, for the history; raises InvalidError."""
        self.unit.reason = validated_reason(reason) or self.unit.reason

    # Finding.

    def get(self, model, object_id: int):
        """The object with an id; raises NotFoundError, GoneError or MovedError."""
        entity = self.session.get(model, object_id) if 0 < object_id <= INTEGER_MAX else None
        return entity or self._former(model, Tombstone.object_id == object_id, object_id)

    def get_for_update(self, model, object_id: int):
        """Like `get`, but locks the object like `lock`."""
        entity = self._locked(model, object_id)
        return entity or self._former(model, Tombstone.object_id == object_id, object_id)

    def by_slug(self, model, slug: str):
        """The object with a slug.

        Raises NotFoundError, GoneError or MovedError (also for a former slug).
        """
        entity = self.session.scalar(select(model).where(model.slug == slug)) if "\0" not in slug else None
        if entity is not None:
            return entity
        kind = model.__tablename__
        former = self.session.get(FormerSlug, (kind, slug)) if "\0" not in slug else None
        if former is not None:
            raise MovedError(self.get(model, former.object_id))
        return self._former(model, Tombstone.slug == slug, slug)

    def survivor(self, model, object_id: int):
        """The object that another was merged into; None if there was no merge, or it was deleted too."""
        tombstone = self.session.get(Tombstone, (model.__tablename__, object_id))
        if tombstone is None or tombstone.survivor_id is None:
            return None
        return self.session.get(model, tombstone.survivor_id)

    def _former(self, model, condition, key):
        kind = model.__tablename__
        tombstone = None
        if not (isinstance(key, int) and not 0 < key <= INTEGER_MAX) and "\0" not in str(key):
            tombstone = self.session.scalar(
                select(Tombstone)
                .where(Tombstone.kind == kind, condition)
                .order_by(Tombstone.gone.desc(), Tombstone.object_id.desc())
                .limit(1)
            )
        if tombstone is None:
            raise NotFoundError(kind, key)
        if tombstone.survivor_id is not None:
            raise MovedError(self.get(model, tombstone.survivor_id))
        raise GoneError(tombstone)

    # Writing.

    def create(self, model, values: dict):
        """Create an object from field values (`catalog.kinds`); raises InvalidError or ConflictError.

        The slug is generated, safely with concurrent writers, unless the values have one.
        """
        kind = kind_of(model)
        self.unit.acquire_write_lock()
        values = rules.with_precisions(kind, None, values)
        slug = values.pop("slug", None) or ""
        if slug and (wrong := column_problem(model.__table__.columns["slug"], slug)):
            raise InvalidError({"slug": [wrong]})
        rules.validate(self.session, kind, None, values)
        with self.savepoint(kind):
            entity = model(**_columns(kind, values))
            if isinstance(entity, AuthorsMixin):
                entity.created_by_id = entity.edited_by_id = self.editor_id
            if hasattr(model, "slug"):
                entity.slug = slug or self._new_slug(kind, entity)
            self.session.add(entity)
            self.session.flush()
            self._expire_placed(entity)
            self._write_parts(kind, entity, values)
        self.unit.propagate()
        self.unit.log_after_commit("create", kind.name, entity.id, log_label(entity))
        return entity

    def update(self, entity, values: dict):
        """Change some fields of an object. `modified` is updated even if no value differs.

        If "slug" changes, the former slug permanently redirects to the object. The row is locked and reloaded
        first, so that no concurrent change is lost. Raises InvalidError, ConflictError, or NotFoundError if
        the object was deleted meanwhile.
        """
        kind = kind_of(type(entity))
        self.lock(entity)
        values = rules.with_precisions(kind, entity, values)
        slug = values.pop("slug", None)
        rules.validate(self.session, kind, entity, values)
        with self.savepoint(kind):
            if kind.name == "series" and values.get("year_began", entity.year_began) != entity.year_began:
                self.unit.record_first_years({entity.id})
            if slug is not None and slug != entity.slug:
                self._readdress(kind, entity, slug)
            for column, value in _columns(kind, values).items():
                if getattr(entity, column) != value:
                    setattr(entity, column, value)
            if isinstance(entity, AuthorsMixin):
                entity.edited_by_id = self.editor_id
            self.unit.record_saved(kind.name, {entity.id})
            if kind.name == "issue":
                self.unit.record_event("series.issues", {entity.series_id})
            self.session.flush()
            self._expire_placed(entity)
            self._write_parts(kind, entity, values)
        self.unit.propagate()
        if "store_date" in values:
            ratings.count_due(self.session, self.session.info.get("today") or clock.now().date())
        self.unit.log_after_commit("update", kind.name, entity.id, log_label(entity))
        return entity

    def find_errors(self, model, entity, values: dict) -> tuple[dict[str, list[str]], list[ConflictError]]:
        """All problems, not only the first, that `create` (`entity` None) or `update` would find in values.

        Returns the messages by field, and the conflicts with unique constraints. Nothing is locked, as
        callers may process pictures before they write.
        """
        kind = kind_of(model)
        values = rules.with_precisions(kind, entity, values)
        slug = values.pop("slug", None)
        errors = rules.find_errors(self.session, kind, entity, values, lock=False).errors
        if slug or (slug is not None and entity is not None):  # otherwise, `create` generates it
            wrong = slugs.slug_problem(self.session, kind.name, slug, entity and entity.id)
            errors |= {"slug": [wrong]} if wrong else {}
        sound = {field: value for field, value in values.items() if field not in errors}
        return errors, uniqueness.find_conflicts(self.session, kind, entity, _columns(kind, sound))

    def delete(self, entity, reason: str = "") -> None:
        """Delete an object and everything that belongs to it; tombstones keep the ids and slugs.

        Concurrent writers cannot add references to it meanwhile, which would be deleted without a record.
        """
        self.lock(entity, against_references=True)
        self.delete_many(type(entity), {entity.id}, reason)

    def delete_many(self, model, ids: set[int], reason: str = "") -> set[int]:
        """Delete objects of one kind like `delete`, all or none; returns the ids that still existed."""
        kind, reason = kind_of(model), validated_reason(reason)
        self.unit.acquire_write_lock()
        if kind.name == "series_type" and self.session.scalar(
            select(Series.id).where(Series.series_type_id.in_(ids)).limit(1)
        ):
            raise InvalidError(
                {"series_type": [_("Some series have this type: give them another type first.")]}
            )
        if kind.name == "age_rating" and 1 in ids:
            raise InvalidError(
                {"age_rating": [_("The first age rating represents “unknown” and cannot be deleted.")]}
            )
        to_delete = collect_cascade(self.session, kind.name, ids)
        self.unit.before_deletion(to_delete, "delete", reason)
        write_tombstones(self.session, to_delete, self.actor_id, reason)
        gone = to_delete.get(kind.name, set())
        self.session.execute(
            delete(model).where(model.id.in_(gone)).execution_options(synchronize_session=False)
        )
        expunge_deleted(self.session, to_delete)
        self.unit.after_deletion(to_delete)
        self.unit.propagate()
        return gone

    def lock(self, entity, *, against_references: bool = False) -> None:
        """Lock an object against other writers until the transaction ends, and reload it.

        Readers can still add rows that refer to it, unless `against_references` is set, as for a deletion.
        """
        model, object_id = type(entity), inspect(entity).identity[0]
        if not against_references and (model.__tablename__, object_id) in self.unit.changes.locked:
            return
        if self._locked(model, object_id, against_references=against_references) is None:
            raise NotFoundError(model.__tablename__, object_id)

    def _locked(self, model, object_id: int, *, against_references: bool = False):
        """The object, locked and reloaded; None if it does not exist."""
        self.unit.acquire_write_lock()
        if model.__tablename__ == "issue":
            # The series first, as renaming a series locks rows in the same order.
            owner = select(Issue.series_id).where(Issue.id == object_id).scalar_subquery()
            self.session.execute(
                select(Series.id).where(Series.id == owner).with_for_update(key_share=True, of=Series)
            )
        found = self.session.scalar(
            select(model)
            .where(model.id == object_id)
            .with_for_update(key_share=not against_references, of=model)
            .execution_options(populate_existing=True)
        )
        if found is not None:
            self.unit.changes.locked.add((model.__tablename__, object_id))
        return found

    # Internals.

    @contextmanager
    def savepoint(self, kind: Kind):
        """A savepoint: if a write fails, the session stays usable and forgets the changes recorded in it."""
        try:
            with self.session.begin_nested():
                yield
        except IntegrityError as error:
            raise _to_catalog_error(kind, error) from error
        except DataError as error:
            raise InvalidError({"__all__": [_("The database cannot hold one of these values.")]}) from error
        except OperationalError as error:
            if not isinstance(error.orig, ProgramLimitExceeded):
                raise
            raise InvalidError({"__all__": [TOO_LONG]}) from error

    def _new_slug(self, kind: Kind, entity) -> str:
        words = self._words(kind, entity)
        if not slugs.slugify(words):  # the slug will contain the id
            entity.id = self.session.scalar(
                text("SELECT nextval(pg_get_serial_sequence(:table, 'id'))"), {"table": kind.name}
            )
        return next(slugs.candidates(self.session, kind.name, slugs.base_slug(kind.name, words, entity.id)))

    def _readdress(self, kind: Kind, entity, slug: str) -> None:
        wrong = slugs.slug_problem(self.session, kind.name, slug, entity.id)
        if wrong:
            raise InvalidError({"slug": [wrong]})
        slugs.redirect_former(self.session, kind.name, {entity.id: (entity.slug, slug)})
        entity.slug = slug

    def _words(self, kind: Kind, entity) -> str:
        """The words that a slug is made of."""
        if kind.name == "series":
            return f"{entity.name}-{entity.year_began}"
        if kind.name == "issue":
            series = self.session.scalar(select(Series.slug).where(Series.id == entity.series_id))
            return f"{series}-{entity.number}"
        return entity.name

    def _expire_placed(self, entity) -> None:
        """Expire the place of an issue in its series, and its date if it has none, as triggers set them."""
        if isinstance(entity, Issue):
            self.session.expire(entity, ["series_order"])
            if entity.cover_date_precision == Precision.NONE:
                self.session.expire(entity, ["cover_date"])

    def _write_parts(self, kind: Kind, entity, values: dict) -> None:
        for link in kind.links:
            if link.field in values:
                parts.replace_links(self.session, kind.name, link, entity.id, values[link.field])
        if "credits" in values:
            parts.replace_credits(self.session, entity.id, values["credits"])
        if "variants" in values:
            parts.replace_variants(self.session, entity.id, values["variants"])
        if "attributions" in values:
            parts.replace_attributions(self.session, kind.name, entity.id, values["attributions"])
        if "external_ids" in values:
            wanted = values["external_ids"]
            parts.replace_external_ids(self.session, kind.name, entity.id, wanted, self.actor_id)


def validated_reason(reason: str | None) -> str | None:
    """Check that history can store a reason, and return it; raises InvalidError."""
    wrong = reason and column_problem(History.__table__.columns["reason"], reason)
    if wrong:
        raise InvalidError({"reason": [wrong]})
    return reason


def _columns(kind: Kind, values: dict) -> dict:
    """Column values from field values; the column of a parent is `<field>_id`."""
    columns = {field: values[field] for field in kind.scalars if field in values}
    return columns | {f"{field}_id": values[field] for field in kind.parents if field in values}


def _error_detail(error: IntegrityError, part: str) -> str:
    """A detail of a database error (`constraint_name`, `table_name` or `column_name`), or ""."""
    return getattr(getattr(error.orig, "diag", None), part, None) or ""


def _to_catalog_error(kind: Kind, error: IntegrityError) -> Exception:
    """The error for a violated constraint: a conflict, a reference to a deleted object, an invalid value."""
    name, table, column = (_error_detail(error, f"{part}_name") for part in ("constraint", "table", "column"))
    if name.startswith("uq_"):
        return uniqueness.to_conflict(kind, table, name)
    if name.startswith("fk_"):
        # The acting account is not a field; the request is retried without it.
        return error if name.endswith(f"_{User.__tablename__}") else _missing_reference(kind, name)
    if name.startswith("ck_"):
        return InvalidError({_field_of_check(kind, table, name): [_("This value is not accepted.")]})
    if column:  # only a NOT NULL error has a column but no constraint
        return InvalidError({_field_of_column(kind, table, column): [NULL]})
    return error


def _field_of_check(kind: Kind, table_name: str, name: str) -> str:
    """The field of a CHECK constraint, whose name contains the column's name."""
    rule = name.replace('"', "").removeprefix(f"ck_{table_name}_")
    columns = [each.name for each in metadata.tables[table_name].columns if rule.startswith(f"{each.name}_")]
    return _field_of_column(kind, table_name, max(columns, key=len, default="__all__"))


def _field_of_column(kind: Kind, table_name: str, column: str) -> str:
    """The field of a column: the part's name in the table of a part, the link field in a link table."""
    if table_name != kind.name:
        fields = {"credit": "credits"} | {table.name: part for part, table in PART_TABLES.items()}
        fields |= {link.table.name: link.field for link in kind.links}
        return fields.get(table_name, "__all__")
    return next((field for field in kind.parents if column == f"{field}_id"), column)


def _missing_reference(kind: Kind, name: str) -> InvalidError:
    for field in (*kind.parents, *(link.field for link in kind.links)):
        if field in name:
            return InvalidError({field: [_("The entry this refers to was deleted in the meantime.")]})
    return InvalidError({"__all__": [_("An entry this refers to was deleted in the meantime.")]})
