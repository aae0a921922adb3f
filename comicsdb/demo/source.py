"""The hand-written source of the demo catalogue: one TOML file a publishing house, read and tied together.

Keys are unique in the whole source. The issues of a series are lines of a small table:

    number | story titles; separated | description | words

In a collected series the second column is the title of the book. The words say what differs from the
series: `+key` and `-key` bring a character in or leave one out, `=key` replaces the cast, `Role=key` or
`Role=none` changes who did it, `arc:`, `team:` and `universe:` add one, `reprints:series:first-last` points
to other issues, `alt:`, `pages:` and `price!` hold for this issue, `date:` and `price:` from here on, and
`same` keeps the date of the issue before.
"""

import calendar
import tomllib
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

DATA = Path(__file__).parent / "data"
LANGUAGES = {"US": "en", "GB": "en", "IT": "it", "FR": "fr", "BE": "fr", "DE": "de", "ES": "es"}
KINDS = ("imprints", "universes", "creators", "teams", "characters", "arcs", "series")
NOBODY = "none"


@dataclass(frozen=True)
class IssueLine:
    """One issue as it is written down, with what the lines before it established."""

    number: str
    titles: tuple[str, ...]
    desc: str
    cover_date: date
    price: tuple[str, str] | None  # currency, amount
    pages: int | None
    alt_number: str
    cast: tuple[str, ...]
    crew: dict[str, tuple[str, ...]]
    arcs: tuple[str, ...]
    teams: tuple[str, ...]
    universes: tuple[str, ...]
    reprints: tuple[str, str, str] | None  # series, first and last number


@dataclass(frozen=True)
class VariantLine:
    """One variant cover as it is written down; without a price it costs what the issue costs."""

    number: str
    name: str
    artist: str
    price: str


@dataclass
class Source:
    """All houses, and everything else by kind and key, in the order in which it is written down."""

    houses: dict[str, dict] = field(default_factory=dict)
    entries: dict[str, dict[str, dict]] = field(default_factory=lambda: {kind: {} for kind in KINDS})


def read(folder: Path = DATA) -> Source:
    """Read all files; an entry knows its `house`, a series its `lines` and `variant_lines`.

    Raises ValueError naming a key that is used twice.
    """
    source = Source()
    for path in sorted(folder.glob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        own = path.stem.partition("-")[2]
        if "publisher" in content:
            source.houses[own] = content["publisher"]
        for house in content.get("house", ()):
            source.houses[house["key"]] = house
        for kind in KINDS:
            for key, entry in content.get(kind, {}).items():
                if key in source.entries[kind]:
                    raise ValueError(f"{path.name}: {kind}.{key} is written down twice")
                source.entries[kind][key] = {"house": own} | entry
    for series in source.entries["series"].values():
        series.setdefault("language", LANGUAGES.get(source.houses[series["house"]]["country"], ""))
        series["lines"] = list(_issue_lines(series))
        series["variant_lines"] = [VariantLine(*row) for row in _table(series.get("variants", ""), 4)]
    return source


def people(value: str | list[str]) -> tuple[str, ...]:
    """The keys of one or several people."""
    return (value,) if isinstance(value, str) else tuple(value)


def _table(text: str, columns: int):
    for line in text.strip().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        yield [*cells, *[""] * (columns - len(cells))]


def _issue_lines(series: dict):
    day = _day(series["first"])
    price = tuple(series["price"].split()) if "price" in series else None
    started = False
    for number, titles, desc, words in _table(series["issues"], 4):
        changes = _Changes(series, price)
        for word in words.split():
            changes.apply(word)
        price = changes.price
        if changes.date:
            day = changes.date
        elif started and not changes.same_date:
            day = _next(day, series)
        started = True
        yield IssueLine(
            number=number,
            titles=tuple(title.strip() for title in titles.split(";") if title.strip()),
            desc=desc,
            cover_date=day,
            price=changes.own_price or price,
            pages=changes.pages,
            alt_number=changes.alt_number,
            cast=tuple(changes.cast),
            crew=changes.crew,
            arcs=tuple(changes.arcs),
            teams=tuple(changes.teams),
            universes=tuple(changes.universes),
            reprints=changes.reprints,
        )


class _Changes:
    """What the words of one line make of the defaults of its series."""

    def __init__(self, series: dict, price: tuple[str, str] | None):
        self.price = price
        self.own_price = None
        self.pages = series.get("pages")
        self.alt_number = ""
        self.cast = list(series.get("cast", ()))
        self.crew = {role: people(who) for role, who in series.get("crew", {}).items()}
        self.arcs = [series["arc"]] if "arc" in series else []
        self.teams = list(series.get("teams", ()))
        self.universes = list(series.get("universes", ()))
        self.reprints = None
        self.date = None
        self.same_date = False

    def apply(self, word: str) -> None:
        """Take one word; raises ValueError for a word that says nothing."""
        name, colon, value = word.partition(":")
        if word[0] in "+-=":
            self._cast(word[0], word[1:])
        elif "=" in word:
            role, _, who = word.partition("=")
            self.crew[role] = () if who == NOBODY else people(who)
        elif word == "same":
            self.same_date = True
        elif word.startswith("price!"):
            self.own_price = self._money(word.removeprefix("price!"))
        elif not colon:
            raise ValueError(f"{word!r} means nothing here")
        else:
            self._named(name, value)

    def _named(self, name: str, value: str) -> None:
        lists = {"arc": self.arcs, "team": self.teams, "universe": self.universes}
        if name in lists:
            if value not in lists[name]:
                lists[name].append(value)
        elif name == "date":
            self.date = _day(value)
        elif name == "price":
            self.price = None if value == NOBODY else self._money(value)
        elif name == "pages":
            self.pages = int(value)
        elif name == "alt":
            self.alt_number = value
        elif name == "reprints":
            series, _, numbers = value.partition(":")
            first, _, last = numbers.partition("-")
            self.reprints = (series, first, last or first)
        else:
            raise ValueError(f"{name}: means nothing here")

    def _cast(self, sign: str, key: str) -> None:
        if sign == "-":
            self.cast.remove(key)
        elif sign == "=":
            self.cast = [key]
        elif key not in self.cast:
            self.cast.append(key)

    def _money(self, text: str) -> tuple[str, str]:
        """A price with its currency, or in the currency of the price before."""
        return (text[:3], text[3:]) if text[:3].isalpha() else (self.price[0], text)


def _day(text: str) -> date:
    """A day, or the first day of a month."""
    return date.fromisoformat(text if len(text) == 10 else f"{text}-01")


def _next(day: date, series: dict) -> date:
    if "every_days" in series:
        return day + timedelta(days=series["every_days"])
    months = day.year * 12 + day.month - 1 + series["every"]
    return date(months // 12, months % 12 + 1, day.day)


def on_sale(series: dict, cover_date: date) -> date | None:
    """When an issue is in the shops: on a weekday of the month, on a day, or days before the cover date."""
    rule = series.get("on_sale")
    if rule is None:
        return None
    if "before" in rule:
        return cover_date - timedelta(days=rule["before"])
    if "day" in rule:
        return cover_date.replace(day=rule["day"])
    weekday = rule.get("weekday", calendar.WEDNESDAY)
    first = 1 + (weekday - cover_date.replace(day=1).weekday()) % 7
    return cover_date.replace(day=first + 7 * (rule["week"] - 1))
