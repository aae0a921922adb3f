"""The pictures of the demo: one order each, which says what to draw and where the file goes.

An order is plain data, so it travels to other processes; `comicsdb.demo.draw` carries it out.
"""

from dataclasses import dataclass, field

from comicsdb.demo.source import IssueLine, Source

COVER = (640, 984)
POSTER = (640, 960)
SQUARE = (512, 512)
MOTIFS = {  # what a picture without a motif of its own shows, by the look of its house
    "lighthouse": "lighthouse",
    "moth": "moth",
    "crow": "crow",
    "lantern": "lantern",
    "door": "rooftops",
    "kite": "kite",
    "raven": "crow",
    "squid": "wave",
    "nighthawk": "moon",
    "hummingbird": "sun",
    "kingfisher": "wave",
}


@dataclass(frozen=True)
class Face:
    """A character as pictures show it: always the same, because its seed is its own picture's path."""

    seed: str
    look: str
    palette: tuple[str, ...]


@dataclass(frozen=True)
class Order:
    """One picture: `path` below images/ is also the seed, `words` is the lettering, largest first."""

    path: str
    kind: str
    size: tuple[int, int]
    style: str
    motif: str
    palette: tuple[str, ...]
    words: tuple[str, ...] = ()
    faces: tuple[Face, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)


class Orders(list):
    """All orders, collected while the rows are made; each method gives the path of its picture."""

    def __init__(self, source: Source):
        super().__init__()
        self._source = source
        self._faces: dict[str, Face] = {}

    def _place(self, **order) -> str:
        self.append(Order(**order))
        return order["path"]

    def publisher(self, key: str, slug: str) -> str:
        """The emblem of a house."""
        house = self._source.houses[key]
        return self._place(
            path=f"publisher/{slug}.jpg",
            kind="emblem",
            size=POSTER,
            style="real" if key in self._real else "house",
            motif=house["look"],
            palette=tuple(house["palette"]),
            words=(_latin(house),),
            facts={"founded": str(house.get("founded", ""))},
        )

    def entity(self, kind: str, key: str, slug: str) -> str:
        """The picture of an imprint, universe, creator, team, character or arc; "" where there is none."""
        entry = self._source.entries[f"{kind}s"][key]
        house = self._source.houses.get(entry["house"])
        path = f"{kind}/{slug}.jpg"
        if house is None and kind == "creator":
            return ""  # no invented faces for people who lived
        palette = (
            tuple(house["palette"]) if house else ("#5b4636", "#d9b878", "#9c2f2f", "#f3e7cf", "#3f5f6f")
        )
        order = {
            "path": path,
            "kind": kind,
            "size": SQUARE if kind == "creator" else POSTER,
            "style": "house",
            "motif": entry.get("motif", MOTIFS.get(house["look"], "")) if house else "",
            "palette": palette,
            "words": (_latin(entry),),
        }
        if kind == "creator":
            order["faces"] = (Face(path, entry["look"], palette),)
        if kind == "character":
            if house is None:
                return self._place(**order | {"kind": "medallion"})
            face = self._faces[key] = Face(path, entry.get("look", ""), palette)
            order["faces"] = (face,)
        if kind == "team":
            members = self._source.entries["characters"].items()
            order["faces"] = tuple(
                self._faces[one] for one, who in members if key in who.get("teams", ()) and one in self._faces
            )[:5]
        return self._place(**order)

    def cover(self, key: str, line: IssueLine, slug: str) -> str:
        """The cover of an issue."""
        return self._cover(key, line, f"issue/{slug}.jpg", "")

    def variant(self, key: str, line: IssueLine, name: str, label: str) -> str:
        """A variant cover."""
        return self._cover(key, line, f"variant/{name}.jpg", label)

    def _cover(self, key: str, line: IssueLine, path: str, variant: str) -> str:
        series = self._source.entries["series"][key]
        house = self._source.houses[series["house"]]
        look = series["cover"]
        masthead = look.get("masthead", series["sort"] if series["language"] == "ja" else series["name"])
        title = line.titles[0] if line.titles and series["language"] != "ja" else ""
        return self._place(
            path=path,
            kind="cover",
            size=COVER,
            style=look["style"],
            motif=look["motif"],
            palette=tuple(look["palette"]),
            words=(masthead, title),
            faces=tuple(self._faces[one] for one in line.cast if one in self._faces),
            facts={
                "number": line.number,
                "price": _price(line.price),
                "month": f"{line.cover_date:%m}",
                "year": str(line.cover_date.year),
                "house": _latin(house),
                "emblem": house["look"],
                "variant": variant,
                "book": "yes" if series.get("collection") else "",
            },
        )

    @property
    def _real(self) -> set[str]:
        """Houses that existed."""
        return {key for key, house in self._source.houses.items() if "key" in house}


def _latin(entry: dict) -> str:
    """A name in letters that the pictures' font has."""
    return entry.get("romaji", entry["name"])


def _price(price: tuple[str, str] | None) -> str:
    if price is None:
        return ""
    currency, amount = price
    if currency == "USD" and float(amount) < 1:
        return f"{round(float(amount) * 100)}¢"
    if currency == "GBP" and float(amount) < 1:
        return f"{round(float(amount) * 100)}p"
    if currency == "ITL":
        return f"L. {float(amount):g}" if float(amount) >= 1 else f"Cent. {round(float(amount) * 100)}"
    return {"USD": "$", "GBP": "£", "EUR": "€"}[currency] + amount
