"""The source of the demo catalogue made into the rows of a data set, and the pictures those rows name."""

# ruff: noqa: PLR0917  (coordinates have an order that everybody knows)

from datetime import timedelta
from itertools import count
from urllib.parse import quote

from comicsdb.demo import reference
from comicsdb.demo.chance import Dice
from comicsdb.demo.codes import LAST_EDIT, STAMP, TODAY, Slugs, barcode, isbn, sku, stamps
from comicsdb.demo.pictures import Orders
from comicsdb.demo.source import Source, VariantLine, on_sale

BARCODES_SINCE = 1980
BOOK_NUMBERS_SINCE = 2007
# What a price would be in where none is known: the format always wants a currency.
CURRENCIES = {"GB": "GBP", "IT": "EUR", "FR": "EUR", "BE": "EUR", "DE": "EUR", "ES": "EUR"}
RATERS = (3, 5, 6, 7, 8)
SINGULAR = {
    "houses": "publisher",
    "imprints": "imprint",
    "universes": "universe",
    "creators": "creator",
    "teams": "team",
    "characters": "character",
    "arcs": "arc",
    "series": "series",
}


class Builder:
    """Rows by file, in the order of the format; `orders` are the pictures to draw."""

    def __init__(self, source: Source):
        self._source = source
        self.orders = Orders(source)
        self.rows: dict[str, list[dict]] = {
            "genres": [{"id": i, "name": name} for i, name in enumerate(reference.GENRES, 1)],
            "series_types": [{"id": i, "name": name} for i, name in reference.SERIES_TYPES.items()],
            "roles": [
                {"id": i, "name": name, "order": i * reference.ROLE_STEP}
                for i, name in enumerate(reference.ROLES, 1)
            ],
            "age_ratings": [{"id": i, "name": name} for i, name in enumerate(reference.AGE_RATINGS, 1)],
            "users": reference.users(),
        }
        self._ids = {
            kind: {key: number for number, key in enumerate(entries, 1)}
            for kind, entries in {"houses": source.houses, **source.entries}.items()
        }
        self._role_ids = {name: number for number, name in enumerate(reference.ROLES, 1)}
        self._issue_at: dict[tuple[str, str], int] = {}
        self._houses()
        for kind in ("imprints", "universes", "creators", "characters", "teams", "arcs"):
            self._kind(kind)  # teams behind characters, whose faces their pictures show
        self._series()
        self.rows.update(issues=[], credits=[], variants=[])
        self._issues()
        self._reprints()
        self._attributions()
        self._ratings()

    def _all(self, kind: str, keys) -> list[int]:
        return sorted(self._ids[kind][key] for key in keys)

    def _common(self, kind: str, slugs: Slugs, row_id: int, entry: dict, words: str) -> dict:
        """The fields that all entities share; `words` are what the slug is made of."""
        slug = slugs.give(words, row_id)
        created, modified = stamps(f"{kind}/{slug}")
        return {
            "id": row_id,
            "name": entry["name"],
            "slug": slug,
            "desc": entry.get("desc", "").strip(),
            "cv_id": None,
            "gcd_id": None,
            "created_on": created,
            "modified": modified,
        }

    def _houses(self) -> None:
        slugs = Slugs("publisher")
        rows = self.rows["publishers"] = []
        for row_id, (key, house) in enumerate(self._source.houses.items(), 1):
            row = self._common("publisher", slugs, row_id, house, house.get("romaji", house["name"]))
            rows.append(
                row
                | {
                    "alt_names": house.get("alt_names", []),
                    "founded": house.get("founded"),
                    "country": house["country"],
                    "image": self.orders.publisher(key, row["slug"]),
                }
            )

    def _kind(self, kind: str) -> None:
        singular = SINGULAR[kind]
        slugs = Slugs(singular)
        rows = self.rows[kind] = []
        for row_id, (key, entry) in enumerate(self._source.entries[kind].items(), 1):
            row = self._common(singular, slugs, row_id, entry, entry.get("romaji", entry["name"]))
            picture = self.orders.entity(singular, key, row["slug"])
            rows.append(row | self._details(kind, entry) | {"image": picture})

    def _details(self, kind: str, entry: dict) -> dict:
        """The fields that one kind has and the others have not."""
        house = self._ids["houses"].get(entry["house"])
        links = {
            "creator_ids": self._all("creators", entry.get("by", ())),
            "universe_ids": self._all("universes", entry.get("universes", ())),
        }
        if kind == "imprints":
            return {"publisher_id": house, "founded": entry.get("founded")}
        if kind == "universes":
            return {"publisher_id": house, "designation": entry.get("designation", "")}
        if kind == "creators":
            return {"alias": entry.get("alias", []), "birth": entry.get("birth"), "death": entry.get("death")}
        if kind == "teams":
            return links
        if kind == "characters":
            return {
                "alias": entry.get("alias", []),
                "creator_ids": links["creator_ids"],
                "team_ids": self._all("teams", entry.get("teams", ())),
                "universe_ids": links["universe_ids"],
            }
        return {}

    def _associated(self) -> dict[str, set[str]]:
        """The series that belong together, both ways."""
        pairs: dict[str, set[str]] = {key: set() for key in self._source.entries["series"]}
        for key, series in self._source.entries["series"].items():
            for other in series.get("with", ()):
                pairs[key].add(other)
                pairs[other].add(key)
        return pairs

    def _series(self) -> None:
        slugs = Slugs("series")
        associated = self._associated()
        type_ids = {name: number for number, name in reference.SERIES_TYPES.items()}
        rows = self.rows["series"] = []
        for row_id, (key, series) in enumerate(self._source.entries["series"].items(), 1):
            years = series["years"]
            sort_name = series.get("sort", series["name"])
            words = sort_name if series["language"] == "ja" else series["name"]
            row = self._common("series", slugs, row_id, series, f"{words}-{years[0]}")
            rows.append(
                row
                | {
                    "sort_name": sort_name,
                    "alt_names": series.get("alt_names", []),
                    "language": series["language"],
                    "volume": series.get("volume", 1),
                    "year_began": years[0],
                    "year_end": years[1] if len(years) > 1 else None,
                    "series_type_id": type_ids[series["type"]],
                    "status": reference.STATUSES[series.get("status", "Ongoing")],
                    "publisher_id": self._ids["houses"][series["house"]],
                    "imprint_id": self._ids["imprints"].get(series.get("imprint")),
                    "collection": series.get("collection", False),
                    "genre_ids": sorted(reference.GENRES.index(name) + 1 for name in series["genres"]),
                    "associated_ids": self._all("series", associated[key]),
                }
            )

    def _issues(self) -> None:
        slugs = Slugs("issue")
        row_ids = count(1)
        for key, row in zip(self._source.entries["series"], self.rows["series"], strict=True):
            series = self._source.entries["series"][key]
            for sequence, line in enumerate(series["lines"], 1):
                row_id = next(row_ids)
                slug = slugs.give(f"{row['slug']}-{line.number}", row_id)
                self._issue_at[key, line.number] = row_id
                self.rows["issues"].append(self._issue(row_id, slug, series, row, sequence, line))
                self.rows["issues"][-1]["image"] = self.orders.cover(key, line, slug)
                artists = self._variants(series, key, line, self.rows["issues"][-1], sequence)
                self._credits(row_id, line, artists)

    def _issue(self, row_id: int, slug: str, series: dict, row: dict, sequence: int, line) -> dict:
        house = self._source.houses[series["house"]]
        store = on_sale(series, line.cover_date)
        created, modified = stamps(f"issue/{slug}", store or line.cover_date)
        foc_days = series.get("on_sale", {}).get("foc")
        book = row["collection"]
        dice = Dice("issue", slug)
        traded = store is not None and line.price is not None
        return {
            "id": row_id,
            "series_id": row["id"],
            "slug": slug,
            "number": line.number,
            "alt_number": line.alt_number,
            "title": line.titles[0] if book and line.titles else "",
            "story_titles": [] if book else list(line.titles),
            "cover_date": line.cover_date.isoformat(),
            "store_date": store and store.isoformat(),
            "foc_date": (store - timedelta(days=foc_days)).isoformat() if foc_days else None,
            "price": f"{float(line.price[1]):.2f}" if line.price else None,
            "currency": line.price[0] if line.price else CURRENCIES.get(house["country"], "USD"),
            "age_rating_id": reference.AGE_RATINGS.index(series.get("rating", "Unknown")) + 1,
            "sku": sku(house["sku"], line.cover_date, row_id) if traded and "sku" in house else "",
            "isbn": isbn(slug) if book and line.cover_date.year >= BOOK_NUMBERS_SINCE else "",
            "upc": barcode(row["slug"], house["country"], sequence, 1)
            if traded and not book and line.cover_date.year >= BARCODES_SINCE
            else "",
            "page_count": line.pages,
            "desc": line.desc,
            "image": "",
            "cover_hash": "",
            "arc_ids": self._all("arcs", line.arcs),
            "character_ids": self._all("characters", line.cast),
            "team_ids": self._all("teams", line.teams),
            "universe_ids": self._all("universes", line.universes),
            "reprint_ids": [],
            "cv_id": None,
            "gcd_id": None,
            "created_by_id": reference.EDITOR if dice.happens(0.75) else reference.ADMIN,
            "edited_by_id": reference.EDITOR if dice.happens(0.85) else reference.ADMIN,
            "created_on": created,
            "modified": modified,
        }

    def _variants(self, series: dict, key: str, line, issue: dict, sequence: int) -> list[str]:
        """The variants of an issue; gives their artists."""
        own: list[VariantLine] = [each for each in series["variant_lines"] if each.number == line.number]
        for cover, variant in enumerate(own, 2):
            rows = self.rows["variants"]
            country = self._source.houses[series["house"]]["country"]
            series_slug = self.rows["series"][issue["series_id"] - 1]["slug"]
            price = variant.price or issue["price"]
            rows.append(
                {
                    "id": len(rows) + 1,
                    "issue_id": issue["id"],
                    "name": variant.name,
                    "price": f"{float(price):.2f}" if price else None,
                    "currency": issue["currency"],
                    "sku": issue["sku"] and issue["sku"] + "ABCDEFGH"[cover - 2],
                    "upc": issue["upc"] and barcode(series_slug, country, sequence, cover),
                    "image": self.orders.variant(key, line, f"{issue['slug']}-{cover}", variant.name),
                }
            )
        return [variant.artist for variant in own if variant.artist]

    def _credits(self, issue_id: int, line, cover_artists: list[str]) -> None:
        """One row a creator, with all roles: those who drew a variant cover are credited for it."""
        roles: dict[str, set[str]] = {}
        for role, who in line.crew.items():
            for key in who:
                roles.setdefault(key, set()).add(role)
        for key in cover_artists:
            roles.setdefault(key, set()).add("Cover")
        rows = self.rows["credits"]
        for key, names in roles.items():
            rows.append(
                {
                    "id": len(rows) + 1,
                    "issue_id": issue_id,
                    "creator_id": self._ids["creators"][key],
                    "role_ids": sorted(self._role_ids[name] for name in names),
                }
            )

    def _reprints(self) -> None:
        """Reprints point both ways; a book in the language of its originals has their story titles."""
        issues = self.rows["issues"]
        for key, series in self._source.entries["series"].items():
            for line in series["lines"]:
                if line.reprints is None:
                    continue
                other, first, last = line.reprints
                originals = range(self._issue_at[other, first], self._issue_at[other, last] + 1)
                book = issues[self._issue_at[key, line.number] - 1]
                same_language = self._source.entries["series"][other]["language"] == series["language"]
                for original in originals:
                    book["reprint_ids"].append(original)
                    issues[original - 1]["reprint_ids"].append(book["id"])
                    if same_language and series.get("collection"):
                        book["story_titles"] += issues[original - 1]["story_titles"]
        for issue in issues:
            issue["reprint_ids"].sort()

    def _attributions(self) -> None:
        rows = self.rows["attributions"] = []
        for kind, entries in {"houses": self._source.houses, **self._source.entries}.items():
            for key, entry in entries.items():
                if "wiki" in entry:
                    language, colon, page = entry["wiki"].partition(":")
                    if not colon:
                        language, page = "en", entry["wiki"]
                    rows.append(
                        {
                            "id": len(rows) + 1,
                            "entity": SINGULAR[kind],
                            "entity_id": self._ids[kind][key],
                            "source": "W",
                            "url": f"https://{language}.wikipedia.org/wiki/{quote(page, safe='(),_')}",
                        }
                    )

    def _ratings(self) -> None:
        """Stars of demo readers for four issues in ten, if they are out."""
        rows = self.rows["issue_ratings"] = []
        for issue in self.rows["issues"]:
            out = issue["store_date"] or issue["cover_date"]
            if out > TODAY.isoformat() or Dice("rated", issue["slug"]).happens(0.62):
                continue
            for user_id in RATERS:
                dice = Dice("stars", issue["slug"], user_id)
                if dice.happens(0.45):
                    given = max(issue["created_on"], f"{out}T20:00:00.000000Z", "2019-06-01T20:00:00.000000Z")
                    latest = LAST_EDIT.strftime(STAMP)
                    rows.append(
                        {
                            "id": len(rows) + 1,
                            "issue_id": issue["id"],
                            "user_id": user_id,
                            "rating": dice.pick((2, 3, 3, 4, 4, 4, 5, 5, 5)),
                            "created_on": min(given, latest),
                        }
                    )
