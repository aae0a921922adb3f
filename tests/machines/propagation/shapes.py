"""What readers see, computed from plain rows: detail bodies, issue lists, and the history's snapshots.

It follows the API's contract, independently of the code that serves it.
"""

from functools import lru_cache

from tests.machines.propagation.world import LINKS, LISTING, OWNERS, World

STATUS = {1: "Cancelled", 2: "Completed", 3: "Hiatus", 4: "Ongoing"}
SOURCES = {"M": "Marvel", "W": "Wikipedia", "G": "Grand Comics Database", "D": "DC"}
TYPE_ABBREVIATIONS = {"trade_paperback": " TPB", "hardcover": " HC", "graphic_novel": " GN"}

PLAIN = {
    "publisher": ("name", "alt_names", "founded", "country", "desc", "image", "cv_id", "gcd_id", "slug"),
    "imprint": ("name", "founded", "desc", "image", "cv_id", "gcd_id", "slug"),
    "universe": ("name", "designation", "desc", "image", "gcd_id", "slug"),
    "creator": (
        "name",
        "birth",
        "birth_precision",
        "death",
        "death_precision",
        "desc",
        "image",
        "alias",
        "cv_id",
        "gcd_id",
        "slug",
    ),
    "team": ("name", "desc", "image", "cv_id", "gcd_id", "slug"),
    "character": ("name", "alias", "desc", "image", "cv_id", "gcd_id", "slug"),
    "arc": ("name", "desc", "image", "cv_id", "gcd_id", "slug"),
    "series": (
        *("name", "sort_name", "alt_names", "language", "volume", "year_began", "year_end", "desc"),
        *("cv_id", "gcd_id", "slug"),
    ),
    "issue": (
        *("number", "alt_number", "title", "name", "cover_date", "store_date", "foc_date", "price"),
        *("sku", "isbn", "upc", "page", "desc", "image", "cover_hash", "cv_id", "gcd_id", "slug"),
    ),
    "series_type": ("name",),
    "genre": ("name",),
    "age_rating": ("name",),
    "role": ("name", "order"),
}


def named(world: World, kind: str, each: int | None):
    """The API's `Named`: id and name."""
    return None if each is None else (each, world.rows[kind][each]["name"])


def stamped(world: World, kind: str, ids) -> list:
    """A list of the API's `Stamped`, ordered by name (universes also by designation)."""
    rows = [world.rows[kind][each] for each in ids]
    rows.sort(
        key=lambda row: (
            *(row["folded"], row["name"]),
            *((row["designation_folded"], row["designation"]) if kind == "universe" else ()),
            row["id"],
        )
    )
    return [(row["id"], row["name"], row["name_changed"]) for row in rows]


def series_label(world: World, each: int) -> str:
    """The label of a series."""
    row = world.rows["series"][each]
    code = world.rows["series_type"][row["series_type_id"]]["code"]
    after = " Digital" if code == "digital_chapter" else ""
    return f"{row['name']}{TYPE_ABBREVIATIONS.get(code, '')} ({row['year_began']}){after}"


def issue_label(world: World, each: int) -> str:
    """The label of an issue."""
    row = world.rows["issue"][each]
    series = world.rows["series"][row["series_id"]]
    chapter = world.rows["series_type"][series["series_type_id"]]["code"] == "digital_chapter"
    return f"{series_label(world, series['id'])} {'Chapter ' if chapter else ''}#{row['number']}"


def _late(day: str | None) -> tuple:
    return (day is None, day or "")


def _reprint_order(world: World, each: int) -> tuple:
    row = world.rows["issue"][each]
    series = world.rows["series"][row["series_id"]]
    return (
        *(series["sort_folded"], series["sort_name"], row["cover_date"], _late(row["store_date"])),
        *(row["number"], each),
    )


def genres(world: World, series: int) -> list:
    """The genres of a series, in the order of their names."""
    rows = [world.rows["genre"][each] for each in world.links["series_genre"][series]]
    return [(row["id"], row["name"]) for row in sorted(rows, key=lambda row: (row["name"], row["id"]))]


def detail(world: World, kind: str, each: int) -> dict:
    """The detail of an object, without its own `modified` and its rating figures."""
    row = world.rows[kind][each]
    body = {field: row[field] for field in PLAIN[kind]}
    if kind in OWNERS:
        body["attribution"] = [
            (SOURCES[item["source"]], item["url"]) for item in world.attributions_of[kind, each]
        ]
    if kind in ("imprint", "universe"):
        body["publisher"] = named(world, "publisher", row["publisher_id"])
    if kind in ("team", "character"):
        for field, table, _, _, target in LINKS[kind]:
            body[field] = stamped(world, target, world.links[table][each])
    if kind == "series":
        body |= _series(world, row)
    if kind == "issue":
        body |= _issue(world, row)
    return body


def _series(world: World, row: dict) -> dict:
    associated = [world.rows["series"][each] for each in world.links["series_associated"][row["id"]]]
    associated.sort(key=lambda row: (row["sort_folded"], row["sort_name"], row["year_began"], row["id"]))
    return {
        "series": series_label(world, row["id"]),
        "series_type": named(world, "series_type", row["series_type_id"]),
        "status": STATUS[row["status"]],
        "publisher": named(world, "publisher", row["publisher_id"]),
        "imprint": named(world, "imprint", row["imprint_id"]),
        "issue_count": len(world.issues_of["series"][row["id"]]),
        "genres": genres(world, row["id"]),
        "associated": [(other["id"], series_label(world, other["id"])) for other in associated],
    }


def _issue(world: World, row: dict) -> dict:
    each, series = row["id"], world.rows["series"][row["series_id"]]
    links = {field: (table, target) for field, table, _, _, target in LINKS["issue"]}
    reprints = sorted(world.links["issue_reprint"][each], key=lambda other: _reprint_order(world, other))
    return {
        "publisher": named(world, "publisher", series["publisher_id"]),
        "imprint": named(world, "imprint", series["imprint_id"]),
        "series": (
            *(series[field] for field in ("id", "name", "alt_names", "sort_name", "volume", "year_began")),
            *(named(world, "series_type", series["series_type_id"]), genres(world, series["id"])),
            series["language"],
        ),
        "issue": issue_label(world, each),
        "price_currency": row["currency"] if row["price"] else "",
        "rating": named(world, "age_rating", row["rating_id"]),
        **{
            field: stamped(world, target, world.links[table][each])
            for field, (table, target) in links.items()
            if field != "reprints"
        },
        "credits": _credits(world, each),
        "reprints": [(other, issue_label(world, other)) for other in reprints],
        "variants": [
            tuple(variant[field] for field in ("name", "price", "sku", "upc", "image"))
            for variant in world.variants_of[each]
        ],
    }


def _credits(world: World, issue: int) -> list:
    shown = []
    for credit in world.credits_of[issue]:
        creator = world.rows["creator"][credit["creator_id"]]
        roles = [world.rows["role"][each] for each in world.roles_of[credit["id"]]]
        roles.sort(key=lambda role: role["order"])
        place = (creator["folded"], creator["name"], creator["id"])
        shown.append((place, creator["id"], creator["name"], [(role["id"], role["name"]) for role in roles]))
    return [row[1:] for row in sorted(shown)]


def rating_figures(world: World, kind: str, each: int) -> tuple:
    """(average, count) computed from the ratings themselves."""
    issues = [each] if kind == "issue" else world.issues_of["series"][each]
    stars = [number for issue in issues for number in world.stars_of[issue].values()]
    return (round(sum(stars) / len(stars), 2) if stars else None, len(stars))


def issue_list(world: World, kind: str, each: int) -> list:
    """The issue list of an arc, character, team or series: its rows in order."""
    rows = []
    for issue in world.issues_of[kind][each]:
        row = world.rows["issue"][issue]
        series = world.rows["series"][row["series_id"]]
        place = (
            *(row["cover_date"], series["sort_folded"], series["sort_name"], series["year_began"]),
            *(row["number"], issue),
        )
        shown = (
            issue,
            *(series[field] for field in ("id", "name", "volume", "year_began")),
            issue_label(world, issue),
            *(row[field] for field in ("number", "cover_date", "store_date", "foc_date", "image")),
            *(row["cover_hash"], row["modified"]),
        )
        rows.append((place, shown))
    return [shown for _, shown in sorted(rows, key=lambda pair: pair[0])]


class Shown:
    """The details and issue lists of one reading of the catalog, by (kind, id)."""

    def __init__(self, world: World):
        self.details = {key: detail(world, *key) for key in world.ids}
        self.lists = {key: issue_list(world, *key) for key in world.ids if key[0] in LISTING}


@lru_cache(maxsize=4)
def shown_of(world: World) -> Shown:
    """What a reading shows, cached, as it is compared with the reading before it and the one after it."""
    return Shown(world)


_PICTURE = ("image", "image_width", "image_height")
_BASE = ("slug", "name", "desc", "cv_id", "gcd_id")
KEPT = {
    "series_type": ("name", "code", "notes", "names"),
    "genre": ("name", "desc", "names"),
    "age_rating": ("name", "short_description", "description", "names"),
    "role": ("name", "order", "is_writer", "is_artist", "is_featured", "is_cover", "notes", "names"),
    "publisher": (*_BASE, *_PICTURE, "alt_names", "founded", "country"),
    "imprint": (*_BASE, *_PICTURE, "founded"),
    "universe": (*_BASE, *_PICTURE, "designation"),
    "creator": (*_BASE, *_PICTURE, "alias", "birth", "birth_precision", "death", "death_precision"),
    "team": (*_BASE, *_PICTURE),
    "character": (*_BASE, *_PICTURE, "alias"),
    "arc": (*_BASE, *_PICTURE),
    "series": (
        *(*_BASE, "sort_name", "alt_names", "language", "volume", "year_began", "year_end"),
        *("status", "collection"),
    ),
    "issue": (
        *(*_BASE, *_PICTURE, "number", "alt_number", "title", "cover_date", "store_date", "foc_date"),
        *(
            "cover_date_precision",
            "price",
            "currency",
            "sku",
            "isbn",
            "upc",
            "page",
            "desc_is_solicitation",
            "cover_hash",
        ),
    ),
}
KEPT_PARENTS = {
    "imprint": ("publisher",),
    "universe": ("publisher",),
    "series": ("publisher", "imprint", "series_type"),
    "issue": ("series", "rating"),
}


def snapshot(world: World, kind: str, each: int) -> dict:
    """The state of an object as history keeps it: plain values, ids for relations, sorted ids for links."""
    row = world.rows[kind][each]
    state = {field: row[field] for field in KEPT[kind]}
    state |= {field: row[f"{field}_id"] for field in KEPT_PARENTS.get(kind, ())}
    state |= {field: sorted(world.links[table][each]) for field, table, _, _, _ in LINKS.get(kind, ())}
    if kind in OWNERS:
        state["attributions"] = [
            {"source": item["source"], "url": item["url"]} for item in world.attributions_of[kind, each]
        ]
        state["external_ids"] = [
            {field: item[field] for field in ("source", "external_id", "scope")}
            for item in world.external_ids_of[kind, each]
        ]
    if kind == "issue":
        state["credits"] = [
            {"creator": credit["creator_id"], "roles": sorted(world.roles_of[credit["id"]])}
            for credit in sorted(world.credits_of[each], key=lambda credit: credit["creator_id"])
        ]
        kept = ("id", "name", "price", "currency", "sku", "upc", "image")
        state["variants"] = [{field: variant[field] for field in kept} for variant in world.variants_of[each]]
    return state


@lru_cache(maxsize=4)
def snapshots(world: World) -> dict[tuple[str, int], dict]:
    """The snapshots of all objects, cached, as the end of a transaction is the start of the next one."""
    return {key: snapshot(world, *key) for key in world.ids}
