"""Reading lists of the demo, made by the service from the arcs and series of its catalogue (web.md 9)."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from comicsdb.library import list_ratings, reading_list_figures, reading_list_items, reading_lists
from comicsdb.models import Arc, Issue, ReadingList, User, issue_arc
from comicsdb.models.choices import ItemType, ListType
from comicsdb.security import Identity, identify

OWNERS = ("Metron", "reader")
RATERS = (("ashtonic", 4), ("bedephile", 3), ("carruggi89", 5), ("tankobon", 3))
OF_ARCS = 4  # lists, of the arcs with most issues
OF_SERIES = 12  # issues before and after the arc of the longest list


def add_lists(session: Session, official: str) -> int:
    """Add a few public lists of the demo's accounts, with stars, and give their number; commits nothing."""
    accounts = session.scalars(select(User).options(selectinload(User.groups)))
    named = {user.username: user for user in accounts}
    who = {name: identify(user, "demo") for name, user in named.items() if name in {*OWNERS, *dict(RATERS)}}
    if not who.keys() >= {*OWNERS, *dict(RATERS)}:
        return 0
    number = func.count()
    arcs = (
        select(Arc)
        .join(issue_arc, issue_arc.c.arc_id == Arc.id)
        .group_by(Arc.id)
        .order_by(number.desc(), Arc.id)
        .limit(OF_ARCS)
    )
    made: list[ReadingList] = []
    for place, arc in enumerate(session.scalars(arcs).all()):
        owner = who[OWNERS[place % len(OWNERS)]]
        made.append(_of_arc(session, owner, official, arc))
    for each in made:
        for name, stars in RATERS[: 1 + each.id % len(RATERS)]:
            list_ratings.rate(session, who[name], official, each, stars)
    return len(made)


def _of_arc(session: Session, owner: Identity, official: str, arc: Arc) -> ReadingList:
    """The issues of an arc, with what leads to it and what follows in its first series."""
    words = {
        "name": f"{arc.name}: the reading order",
        "list_type": ListType.STORY.value,
        "desc": arc.desc or "Every part in its order, with what comes before and after.",
    }
    made = reading_lists.create(session, owner, official, words)
    held = reading_lists.hold(session, owner, official, made)
    reading_list_items.add_arc(held, arc.id)
    items = session.scalars(reading_list_figures.items(made.id)).all()
    core = [item.issue for item in items]
    around = _around(session, core[0], core[-1])
    before = [each.id for each in around if each.cover_date < core[0].cover_date]
    after = [each.id for each in around if each.cover_date > core[-1].cover_date]
    types = dict.fromkeys(before, ItemType.PROLOGUE) | dict.fromkeys(after, ItemType.EPILOGUE)
    reading_list_items.add_issues(held, before[-OF_SERIES:], at=reading_list_items.BEGINNING, types=types)
    reading_list_items.add_issues(held, after[:OF_SERIES], types=types)
    for place, item in enumerate(items):
        code = ItemType.TIE_IN if item.issue.series_id != core[0].series_id and place else ItemType.CORE
        reading_list_items.set_type(held, item.id, code)
    return made


def _around(session: Session, first: Issue, last: Issue) -> list[Issue]:
    """The issues of the series of an arc's first issue that are not between its first and its last."""
    outside = (Issue.cover_date < first.cover_date) | (Issue.cover_date > last.cover_date)
    wanted = select(Issue).where(Issue.series_id == first.series_id, outside)
    return list(session.scalars(wanted.order_by(Issue.cover_date, Issue.id)))
