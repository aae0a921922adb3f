"""What the staff gives to groups: the right to delete objects of some kinds."""

from collections.abc import Iterable

from sqlalchemy.orm import Session

from comicsdb.admin.audit_log import Actor, changes, record
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.models import CATALOGUE, Group
from comicsdb.security import Permission, may

DELETABLE = tuple(model.__tablename__ for model in CATALOGUE)


def set_deletable(session: Session, actor: Actor, group: Group, kinds: Iterable[str]) -> dict:
    """Say which kinds the members of a group may delete; gives the old and new value if it changed.

    Raises InvalidError for the field `may_delete`: for kinds that are none, and for anybody but superusers.
    """
    wanted = sorted(set(kinds))
    if not set(wanted) <= set(DELETABLE):
        raise InvalidError({"may_delete": [_("There is no such kind.")]})
    if not (actor is None or may(actor, Permission.RIGHTS)):
        raise InvalidError({"may_delete": [_("Only a superuser can change what a group may delete.")]})
    change = changes({"may_delete": sorted(group.may_delete)}, {"may_delete": wanted})
    if change:
        group.may_delete = wanted
        session.flush()
        record(session, actor, "change", "group", group.id, group.name, change)
    return change
