"""What needs attention in the catalog: counts, possible duplicates, and breaches of advisory rules."""

from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import func, select

from comicsdb.catalog.advice import RULES, breaches
from comicsdb.catalog.maintenance import repair_reports
from comicsdb.catalog.references import References
from comicsdb.i18n import translate
from comicsdb_web.lists.paging import Page, requested_page
from comicsdb_web.pages.admin.listing import PER_PAGE
from comicsdb_web.pages.community.statistics import cached_figures
from comicsdb_web.rendering.locales import _

CACHE_KEY = "hands"  # the name of these figures in the cache
CODE_RULES = (
    "isbn",
    "upc",
    "variant-upc",
)  # rules with a separate count; the counts of the others are added up


@dataclass(frozen=True)
class OpenTask:
    """A task for the staff: how many objects, a label, and the path of their list."""

    number: int
    text: str
    path: str


def open_tasks(request) -> dict:
    """The tasks on the overview, counted at most every half hour; at most two statements."""
    found, at = cached_figures(request, CACHE_KEY, lambda: repair_reports.count_problems(request.dbsession))
    path, issues = request.route_path, request.route_path("admin.catalog.list", kind="issue")
    broken = {rule.name: found.get(rule.name, 0) for rule in RULES}
    titles = {rule.name: rule.title for rule in RULES}
    others = sum(number for name, number in broken.items() if name not in CODE_RULES)
    shown = [
        (found["covers"], _("Issues without a cover"), f"{issues}?cover=no"),
        (found["credits"], _("Issues without credits"), f"{issues}?credits=no"),
        (found["duplicates"], _("Possible duplicate series"), path("admin.duplicates")),
        *((broken[name], titles[name], path("admin.advice", _query={"rule": name})) for name in CODE_RULES),
        (others, _("Other advisories"), path("admin.advice")),
    ]
    tasks = [OpenTask(number, translate(request.localizer, text), where) for number, text, where in shown]
    return {"open_tasks": tasks, "counted": at}


def duplicates(request):
    """The groups of series that may be duplicates; two statements."""
    groups = repair_reports.find_duplicate_volumes(request.dbsession)
    number, pages = requested_page(request, len(groups), PER_PAGE)
    shown = groups[(number - 1) * PER_PAGE : number * PER_PAGE]
    return {"page": Page(shown, number, len(groups), pages)}


def advice(request):
    """The breaches of all rules or of one, with the number of breaches of each rule."""
    session, found = request.dbsession, breaches()
    numbers = dict(session.execute(select(found.c.place, func.count()).group_by(found.c.place)).all())
    places = {rule.name: place for place, rule in enumerate(RULES)}
    chosen = places.get(request.GET.get("rule", ""))
    total = sum(numbers.values()) if chosen is None else numbers.get(chosen, 0)
    number, pages = requested_page(request, total, PER_PAGE)
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
    """Add the lists of duplicates and breaches."""
    config.add_admin_page(".duplicates", "advice/duplicates/", duplicates, renderer="admin/duplicates.jinja2")
    config.add_admin_page(".advice", "advice/", advice, renderer="admin/catalog_advice.jinja2")
