"""Generates names of comic files as people and programs write them, from known issues.

`noisy_names(issues, seed=1)` yields names, with the issue they were made from and the kinds of noise in them.
The same issues and seed give the same names; the names of an issue do not depend on those before it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from random import Random

COLLECTED = frozenset(("trade_paperback", "hardcover", "omnibus"))
SINGLE = frozenset(("one_shot", "graphic_novel"))  # often without a number
FORMAT_WORDS = {
    "trade_paperback": ("TPB", "TPB", "Trade Paperback"),
    "hardcover": ("HC", "Hardcover"),
    "graphic_novel": ("OGN", "GN", "Graphic Novel"),
    "one_shot": ("One-Shot", "one-shot", "OneShot"),
}
SCANNERS = (
    "Zone-Empire|Minutemen-Faessla|Son of Ultron-Empire|GreenGiant-DCP|Nahga-Empire|The Last "
    "Kryptonian-DCP|AnHeroGold-"
    "Empire|Glorith-HD|Mephisto-Empire|Cypher-Empire|Pyrate-DCP|Oroboros-DCP|Novus-HD|Shadowcat-Empire"
).split("|")
SCANS = (
    "c2c|Digital|digital|webrip|Digital-HD|noads|fixed|c2c, noads|2 covers|Digital Rip|1920px|HD|scan".split(
        "|"
    )
)
AUTHORS = ("佐藤一郎", "Tanaka Yui", "山田花子", "Group-Scans")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
ARTICLES = ("The ", "La ", "Il ", "Les ", "Le ", "Die ")
LETTERS = "abcdefghijklmnoprstuvw"


@dataclass(frozen=True, slots=True)
class Issue:
    """What a catalog knows of an issue; `count` is the number of issues of a series that is complete."""

    series: str
    number: str
    cover_date: date
    year_began: int
    volume: int = 1
    series_type: str = "single_issue"
    publisher: str = ""
    language: str = "en"
    title: str = ""
    count: int | None = None


@dataclass(frozen=True, slots=True)
class NoisyName:
    """A name; `series`, `number` and `year` are those in the name: "" and None if they are missing."""

    name: str
    issue: Issue
    series: str
    number: str
    year: int | None
    kinds: frozenset[str]


def noisy_names(issues: Iterable[Issue], *, seed: int = 1, each: int = 1) -> Iterator[NoisyName]:
    """Yield `each` names of each issue."""
    issues = list(issues)
    began = defaultdict(set)
    for issue in issues:
        began[issue.series.casefold()].add((issue.year_began, issue.publisher, issue.series_type))
    for issue in issues:
        random = Random(f"{seed} {issue}")
        for _ in range(each):
            yield _Name(issue, random, shared=len(began[issue.series.casefold()]) > 1).render()


def _typo(text: str, random: Random) -> str:
    """The text with one edit in one of its words of five or more letters, not in its first letter."""
    places = [found.span() for found in re.finditer(r"[^\W\d_]{5,}", text)]
    begin, end = random.choice(places)
    place = random.randrange(begin + 1, end)
    edit = random.choice(("drop", "double", "change", "swap"))
    if edit == "drop":
        return text[:place] + text[place + 1 :]
    if edit == "double":
        return text[:place] + text[place] + text[place:]
    if edit == "swap" and place + 1 < end and text[place] != text[place + 1]:
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    other = random.choice([letter for letter in LETTERS if letter != text[place].casefold()])
    return text[:place] + other + text[place + 1 :]


def _file_safe(text: str) -> str:
    return text.replace("/", "-").replace("\0", "")


def _written(number: str, width: int) -> str:
    """A number padded with zeros."""
    found = re.fullmatch(r"(-?)(\d+)(.*)", number)
    return f"{found[1]}{found[2].zfill(width)}{found[3]}" if found else number


@dataclass
class _Name:
    """A name under construction."""

    issue: Issue
    random: Random
    shared: bool
    kinds: set[str] = field(default_factory=set)

    def render(self) -> NoisyName:
        issue, random = self.issue, self.random
        self.kinds |= self._kinds_of_issue()
        self.series = issue.series
        self.told_number = issue.number
        self.number = self._number()
        self.year: int | None = issue.cover_date.year
        self._change_series()
        brackets = self._brackets()
        name = self._ordered(brackets)
        name = self._separated(name)
        extension = random.choice(("cbz",) * 6 + ("cbr", "cbr", "cb7", "pdf", "zip"))
        name = f"{self._folders()}{_file_safe(name)}.{extension}"
        kinds = frozenset(self.kinds or {"plain"})
        return NoisyName(name, issue, self.series, self.told_number, self.year, kinds)

    def chance(self, share: float, kind: str = "") -> bool:
        """Draw whether something with this probability happens, and record it as noise of this kind."""
        happens = self.random.random() < share
        if happens and kind:
            self.kinds.add(kind)
        return happens

    def _kinds_of_issue(self) -> set[str]:
        issue = self.issue
        tests = {
            "half": "½" in issue.number or issue.number == "0.5",
            "decimal": bool(re.fullmatch(r"\d+\.\d+", issue.number)) and issue.number != "0.5",
            "negative number": issue.number.startswith("-"),
            "letters in number": bool(re.search("[A-Z]", issue.number)),
            "annual": issue.series_type == "annual",
            "special": "Special" in issue.series,
            "collection": issue.series_type in COLLECTED,
            "one-shot": issue.series_type in SINGLE,
            "Italian": issue.language == "it",
            "Japanese": issue.language == "ja",
            "other languages": issue.language in {"fr", "de", "es"},
            "same name": self.shared,
            "number in title": bool(re.search(r"\d", issue.series)),
        }
        return {kind for kind, holds in tests.items() if holds}

    def _number(self) -> str:
        """The number as written in the name, with its prefix."""
        issue, random = self.issue, self.random
        width = random.choice((3, 3, 3, 2, 1))
        if width != 3:
            self.kinds.add("padding")
        plain = _written(issue.number, width)
        if issue.series_type in SINGLE and issue.number == "1" and self.chance(0.7):
            self.told_number = ""
            return ""
        if (
            issue.series_type == "annual"
            and issue.number == "1"
            and not self.shared
            and self.chance(0.3, "no number")
        ):
            self.told_number = ""
            return str(issue.cover_date.year)
        whole = issue.number.isdigit()
        if issue.language == "ja":
            made = random.choice(("第{}巻", "第{}巻", "第{}話", " v{}", " {}", "({})", " 第{}巻"))
            if made.startswith("第") and self.chance(0.3, "full width"):
                plain = plain.translate({ord("0") + digit: chr(0xFF10 + digit) for digit in range(10)})
            return made.format(plain)
        if issue.series_type in COLLECTED and whole:
            return random.choice(
                (f"v{issue.number.zfill(2)}", f"Vol. {issue.number}", f"Volume {issue.number}", plain)
            )
        marks = {
            "it": ("", "", "n. ", "n.", "N°", "Nr. ", "N. ", "#"),
            "fr": ("", "T", "Tome ", "T.", "n° ", "- "),
            "de": ("", "Nr. ", "Band ", "Bd. ", "Heft "),
            "es": ("", "nº ", "núm. ", "Tomo ", "#"),
        }.get(issue.language)
        if marks and whole:
            return random.choice(marks) + plain
        if self.chance(0.15, "number sign"):
            return f"#{plain}"
        if whole and self.chance(0.04, "number word"):
            return random.choice(("No. ", "Issue ", "Issue #", "no ")) + plain
        return plain

    def _change_series(self) -> None:
        if re.search(r"[^\W\d_]{5,}", self.series) and self.series.isascii() and self.chance(0.07, "typo"):
            self.series = _typo(self.series, self.random)
        self.shown = self.series.replace(": ", self.random.choice((" - ", ": ", "_ ", " ")))
        self.shown = self.shown.replace("/", self.random.choice("-_ "))  # file names cannot contain slashes
        for article in ARTICLES:
            if self.series.startswith(article) and self.chance(0.25, "article"):
                self.shown = f"{self.shown[len(article) :]}, {article.strip()}"
        self.volume = ""
        if self.issue.volume > 1 and self.issue.series_type not in COLLECTED and self.chance(0.4, "volume"):
            volume = self.issue.volume
            made = self.random.choice((f"v{volume}", f"V{volume}", f"Vol. {volume}", f"Vol {volume}", "year"))
            self.volume = f"v{self.issue.year_began}" if made == "year" else made

    def _brackets(self) -> list[str]:
        issue, random = self.issue, self.random
        found = []
        if issue.count and issue.number.isdigit() and self.number and self.chance(0.4, "count"):
            count = random.choice((str(issue.count), str(issue.count).zfill(2)))
            found.append(random.choice((f"(of {count})", f"(of {count})", f"of {count}")))
        if not self.shared and self.chance(0.15, "no year"):
            self.year = None
        else:
            found.append(self._date())
        # Without it, the first collection would look like the first issue of a series of that name.
        needed = self.shared and issue.series_type in COLLECTED and self.number[:1].isdigit()
        if issue.series_type in FORMAT_WORDS and (self.chance(0.6, "format") or needed):
            found.append(f"({random.choice(FORMAT_WORDS[issue.series_type])})")
        if issue.publisher and self.chance(0.08, "publisher"):
            found.append(random.choice((f"({issue.publisher})", f"[{issue.publisher}]")))
        if issue.language == "it" and self.chance(0.3):
            found.append(random.choice(("(ITA)", "(Ita)", "[ITA]", "(Italian)", "(c2c ITA)")))
        if self.chance(0.5, "scan words"):
            found.append(f"({random.choice(SCANS)})")
        if self.chance(0.45, "scanner"):
            found.append(random.choice(("({})", "({})", "[{}]")).format(random.choice(SCANNERS)))
        if self.chance(0.04, "id"):
            found.append(f"[{random.choice(('cvid', 'metron', 'cv'))}-{random.randrange(1000, 999_999)}]")
        return found

    def _date(self) -> str:
        day = self.issue.cover_date
        if not self.chance(0.12, "date"):
            return f"({day.year})"
        month = MONTHS[day.month - 1]
        return self.random.choice(
            (
                f"({month} {day.year})",
                f"({day:%Y-%m})",
                f"({day:%m-%Y})",
                f"({day:%Y-%m-%d})",
                f"({month}, {day.year})",
            )
        )

    def _ordered(self, brackets: list[str]) -> str:
        """Series, number and brackets in one of the usual orders."""
        issue, random = self.issue, self.random
        series = f"{self.shown} {self.volume}".strip()
        japanese = issue.language == "ja"
        blank = "" if japanese and self.number[:1] in "第 (" else " "
        numbered = f"{series}{blank}{self.number}" if self.number else series
        if issue.title and self.number and self.chance(0.5, "title"):
            numbered = f"{numbered} - {issue.title}"
        if japanese and self.chance(0.3, "author"):
            numbered = f"[{random.choice(AUTHORS)}] {numbered}"
        year = next((each for each in brackets if self.year and str(self.year) in each), "")
        rest = [each for each in brackets if each != year]
        plain = self.told_number and not japanese and re.fullmatch(r"#?[\d.½]+", self.number)
        order = random.random()
        if plain and " - " not in numbered and order < 0.1:
            self.kinds.add("order")
            if year and order < 0.03:
                return " ".join((year, numbered, *rest))
            if year and order < 0.06:
                return " ".join((series, year, self.number, *rest))
            if "#" not in self.number and not self.volume:
                rest = [each for each in rest if "of" not in each]
                return " ".join((f"{_written(self.number, 2)} - {series}", *([year] if year else ()), *rest))
        if plain and order > 0.96:
            self.kinds.add("reading order")
            numbered = f"{random.randrange(1, 90):03} - {numbered}"
        return " ".join((numbered, *brackets))

    def _separated(self, name: str) -> str:
        if self.issue.language == "ja":
            return name
        if self.chance(0.1, "underscores"):
            return name.replace(" ", "_")
        dotted = "." not in self.issue.number and " - " not in name and not re.search(r"\. |[,:_½-] ?", name)
        if dotted and self.chance(0.2, "dots"):
            bare = (
                name if name.startswith("(") or self.random.random() < 0.5 else re.sub(r"[()\[\]]", "", name)
            )
            return bare.replace(" ", ".")
        return name

    def _folders(self) -> str:
        issue = self.issue
        if not self.chance(0.15, "folders"):
            return ""
        series = _file_safe(issue.series.replace("/", "").replace(":", ""))
        inner = self.random.choice(
            (f"{series} ({issue.year_began})", f"{series} ({issue.year_began})", series)
        )
        return (
            f"{_file_safe(issue.publisher)}/{inner}/"
            if issue.publisher and self.random.random() < 0.6
            else f"{inner}/"
        )


def _run(  # noqa: PLR0913, as it writes the examples below in one line each
    series: str,
    numbers: str,
    year: int,
    publisher: str = "",
    *,
    volume: int = 1,
    kind: str = "single_issue",
    language: str = "en",
    count: int | None = None,
    titles: Sequence[str] = (),
) -> list[Issue]:
    issues = []
    for place, number in enumerate(numbers.split()):
        months = place * 3 % 12
        day = date(year + place // 4, months + 1, 1)
        title = titles[place % len(titles)] if titles else ""
        issues.append(
            Issue(series, number, day, year, volume, kind, publisher, language, title=title, count=count)
        )
    return issues


_MANY = "1 2 5 9 12 37 100 123"
# Real series with names that are difficult to parse, for tests and benchmarks.
EXAMPLES: tuple[Issue, ...] = tuple(
    issue
    for run in (
        _run("The Amazing Spider-Man", "1 12 50 121 300 441", 1963, "Marvel"),
        _run("The Amazing Spider-Man", "1 9 14 -1 ½", 1999, "Marvel", volume=2),
        _run("The Amazing Spider-Man", "1 12 1.1 1.2 800", 2014, "Marvel", volume=3),
        _run("The Amazing Spider-Man", "1 12 54.LR 55 93", 2018, "Marvel", volume=5),
        _run("The Amazing Spider-Man Annual", "1 3 21", 1964, "Marvel", kind="annual"),
        _run("Batman Annual", "1 2 3 4", 2012, "DC Comics", kind="annual", volume=2),
        _run("X-Men Annual", "1 2 14", 1970, "Marvel", kind="annual"),
        _run("Batman", "1 50 251 404 700", 1940, "DC Comics"),
        _run("Batman", "0 1 12 23.1 52", 2011, "DC Comics", volume=2),
        _run("Batman", "1 50 85 100 125", 2016, "DC Comics", volume=3),
        _run("Avengers", "1 27 34.1 44", 2012, "Marvel", volume=5),
        _run("Age of Ultron", "1 5 10 10A", 2013, "Marvel", count=10),
        _run("Superior Spider-Man", "1 6AU 27.NOW 31", 2013, "Marvel"),
        _run("Mighty Avengers", "1 4.INH 9", 2013, "Marvel"),
        _run("Uncanny X-Men", "1 141 -1 534.1 600", 1963, "Marvel"),
        _run("Flash", "-1 0 1 0.5", 1997, "DC Comics", volume=2),
        _run("Wizard", "½ 1 12", 1991, "Wizard"),
        _run("Witchblade", "½ 1 10 92", 1995, "Image"),
        _run("Spider-Man 2099", _MANY, 1992, "Marvel"),
        _run("100 Bullets", _MANY, 1999, "Vertigo"),
        _run("2000 AD", "1 500 1234 1999 2250", 1977, "Rebellion"),
        _run("52", "1 12 52", 2006, "DC Comics", count=52),
        _run("300", "1 3 5", 1998, "Dark Horse", count=5),
        _run("Marvel 1602", "1 4 8", 2003, "Marvel", count=8),
        _run("X-Men '97", "1 2 4", 2024, "Marvel", count=4),
        _run("Batman '66", "1 12 30", 2013, "DC Comics"),
        _run("Fantastic Four", _MANY, 1961, "Marvel"),
        _run("Earth 2", "1 12 15.1 32", 2012, "DC Comics"),
        _run("30 Days of Night", "1 2 3", 2002, "IDW", count=3),
        _run("Area 51", "1 3", 2010, "Image"),
        _run("Blade Runner 2049", "1 5 12", 2020, "Titan", count=12),
        _run("Agents of S.H.I.E.L.D.", "1 5 10", 2016, "Marvel"),
        _run("G.I. Joe: A Real American Hero", "1 21 155", 1982, "Marvel"),
        _run("Batman: Year One", "1 2 4", 1987, "DC Comics", count=4, kind="limited_series"),
        _run("Watchmen", "1 6 12", 1986, "DC Comics", count=12, kind="limited_series"),
        _run("Star Wars: Darth Vader", _MANY, 2015, "Marvel"),
        _run("Y: The Last Man", _MANY, 2002, "Vertigo", count=60),
        _run("The Walking Dead", "1 48 100 193", 2003, "Image", count=193),
        _run("The Sandman", "1 8 75", 1989, "DC Comics", count=75),
        _run("Saga", "1 12 54 66", 2012, "Image"),
        _run("Invincible", "0 1 60 144", 2003, "Image"),
        _run("Hellboy in Hell", "1 5 10", 2012, "Dark Horse"),
        _run("B.P.R.D.: Hell on Earth", "103 120 147", 2012, "Dark Horse"),
        _run("Love and Rockets", "1 24 50", 1982, "Fantagraphics"),
        _run("Guardians of the Galaxy", "0.1 1 11.NOW 27", 2013, "Marvel", volume=3),
        _run("Civil War", "1 4 7", 2006, "Marvel", count=7),
        _run("Civil War II", "0 1 8", 2016, "Marvel", count=8),
        _run("Wolverine & the X-Men", "1 27AU 42", 2011, "Marvel"),
        _run("Superman/Batman", "1 20 87", 2003, "DC Comics"),
        _run("House of M", "1 8", 2005, "Marvel", count=8),
        _run("Batman: The Killing Joke", "1", 1988, "DC Comics", kind="one_shot"),
        _run("Web of Venom: Carnage Born", "1", 2018, "Marvel", kind="one_shot"),
        _run("Doctor Strange Special", "1", 2017, "Marvel"),
        _run("Avengers West Coast Special", "1 2", 1990, "Marvel"),
        _run("Spawn Special Edition", "1 2", 1996, "Image"),
        _run("Blankets", "1", 2003, "Top Shelf", kind="graphic_novel"),
        _run("Pride of Baghdad", "1", 2006, "Vertigo", kind="graphic_novel"),
        _run("Saga", "1 2 3 9", 2012, "Image", kind="trade_paperback"),
        _run(
            "Preacher",
            "1 2 3",
            1996,
            "Vertigo",
            kind="trade_paperback",
            titles=("Gone to Texas", "Until the End of the World", "Proud Americans"),
        ),
        _run("Absolute Sandman", "1 2 4", 2006, "DC Comics", kind="hardcover"),
        _run("Fantastic Four Omnibus", "1 2 4", 2005, "Marvel", kind="omnibus"),
        _run(
            "Dylan Dog",
            "1 12 123 400",
            1986,
            "Sergio Bonelli Editore",
            language="it",
            titles=("L'alba dei morti viventi", "Killer!", "Lontano dalla luce", "E ora, l'apocalisse!"),
        ),
        _run(
            "Tex", "1 100 575 700", 1958, "Sergio Bonelli Editore", language="it", titles=("La mano rossa",)
        ),
        _run("Tex Willer", "1 12 48", 2018, "Sergio Bonelli Editore", language="it"),
        _run("Topolino", "1 1000 1984 3456", 1949, "Panini", language="it"),
        _run("Il Comandante Mark", "1 12 281", 1966, "Sergio Bonelli Editore", language="it"),
        _run(
            "Julia: Le avventure di una criminologa",
            "1 57 250",
            1998,
            "Sergio Bonelli Editore",
            language="it",
        ),
        _run("Diabolik", "1 12 850", 1962, "Astorina", language="it"),
        _run("Città di vetro", "1 2 6", 2011, "Panini", language="it", count=6),
        _run("Thorgal", "1 12 38", 1980, "Le Lombard", language="fr", titles=("La Magicienne trahie",)),
        _run("Lucky Luke", "1 12 71", 1949, "Dupuis", language="fr", titles=("Les Cousins Dalton",)),
        _run("Les Aigles de Rome", "1 2 6", 2007, "Dargaud", language="fr"),
        _run("Lustiges Taschenbuch", "1 12 500", 1967, "Egmont", language="de"),
        _run("Mortadelo y Filemón", "1 12 85", 1969, "Bruguera", language="es"),
        _run("進撃の巨人", "1 3 12 34", 2010, "講談社", language="ja"),
        _run("ワンピース", "1 12 99 105", 1997, "集英社", language="ja"),
        _run("AKIRA", "1 3 6", 1984, "講談社", language="ja"),
        _run("ドラえもん", "1 12 45", 1974, "小学館", language="ja"),
        _run("20世紀少年", "1 7 22", 2000, "小学館", language="ja"),
    )
    for issue in run
)
