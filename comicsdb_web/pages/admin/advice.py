"""What breaks advisory rules, in the administration: a list to be worked off."""

from collections import defaultdict

from sqlalchemy import func, select

from comicsdb.catalog.advice import RULES, breaches
from comicsdb.catalog.references import References
from comicsdb.i18n import translate
from comicsdb_web.lists.paging import Page, page_asked_for
from comicsdb_web.pages.admin.listing import PER_PAGE


def advice(request):
    """The breaches, rule by rule, all or those of one rule; how many each rule has is told above."""
    session, found = request.dbsession, breaches()
    numbers = dict(session.execute(select(found.c.place, func.count()).group_by(found.c.place)).all())
    places = {rule.name: place for place, rule in enumerate(RULES)}
    chosen = places.get(request.GET.get("rule", ""))
    total = sum(numbers.values()) if chosen is None else numbers.get(chosen, 0)
    number, pages = page_asked_for(request, total, PER_PAGE)
    order = (found.c.place, found.c.kind, found.c.object_id)
    rows = select(found).order_by(*order).limit(PER_PAGE).offset((number - 1) * PER_PAGE)
    rows = session.execute(rows if chosen is None else rows.where(found.c.place == chosen)).all()
    wanted = defaultdict(set)
    for row in rows:
        wanted[row.kind].add(row.object_id)
    references = References(session, wanted)
    say = request.localizer
    return {
        "page": Page([(row, references.to(row.kind, row.object_id)) for row in rows], number, total, pages),
        "rules": [
            (rule.name, translate(say, rule.title), numbers[place])
            for place, rule in enumerate(RULES)
            if numbers.get(place)
        ],
        "titles": [translate(say, rule.title) for rule in RULES],
        "chosen": RULES[chosen].name if chosen is not None else "",
    }


def includeme(config):
    """One list."""
    config.add_admin_page(".advice", "advice/", advice, renderer="admin/catalogue_advice.jinja2")
