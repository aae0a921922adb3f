"""Enumerations of the values that columns may contain."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum, StrEnum


class _Labelled(StrEnum):
    """Codes with the English labels that the API shows, by default the code with one capital letter."""

    def __new__(cls, code: str, label: str = ""):
        member = str.__new__(cls, code)
        member._value_ = code
        member.label = label or code.capitalize()
        return member


class Status(IntEnum):
    """The status of a series."""

    CANCELLED = 1
    COMPLETED = 2
    HIATUS = 3
    ONGOING = 4

    @property
    def label(self) -> str:
        """Return the English label shown by the API."""
        return self.name.capitalize()


class Precision(StrEnum):
    """How much of a date is known; the unknown part is set to the first month or day."""

    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    NONE = "none"  # the date is unknown; the one stored only gives the object a place in lists


KNOWN_PRECISIONS = tuple(known.value for known in Precision if known != Precision.NONE)


class SeriesTypeCode(StrEnum):
    """Codes of series types, used by program logic; names and ids are data."""

    ONE_SHOT = "one_shot"
    ANNUAL = "annual"
    HARDCOVER = "hardcover"
    GRAPHIC_NOVEL = "graphic_novel"
    TRADE_PAPERBACK = "trade_paperback"
    LIMITED_SERIES = "limited_series"
    DIGITAL_CHAPTER = "digital_chapter"
    SINGLE_ISSUE = "single_issue"
    OMNIBUS = "omnibus"


# Codes by names that older data sets use.
SERIES_TYPE_OLDER_NAMES = {
    "Annual Series": SeriesTypeCode.ANNUAL,
    "Digital Chapters": SeriesTypeCode.DIGITAL_CHAPTER,
    "Hard Cover": SeriesTypeCode.HARDCOVER,
}
COLLECTED_CODES = (SeriesTypeCode.HARDCOVER, SeriesTypeCode.TRADE_PAPERBACK, SeriesTypeCode.OMNIBUS)


class AttributionSource(_Labelled):
    """The source of a text in the catalog."""

    MARVEL = "M", "Marvel"
    WIKIPEDIA = "W", "Wikipedia"
    GCD = "G", "Grand Comics Database"
    DC = "D", "DC"


@dataclass(frozen=True)
class ExternalSource:
    """A source of external ids: its name, the form of its ids, and the URLs of its pages.

    `pages` are URL templates by kind, the one of "" for all other kinds; without a template, ids are shown
    without a link. `clean` removes from copied ids what is not part of them.
    """

    label: str
    pattern: str
    pages: dict[str, str] = field(default_factory=dict)
    clean: Callable[[str], str] = str.strip

    def read(self, text: str) -> str | None:
        """The id in a text; None if the text is no id of this source."""
        found = self.clean(text)
        return found if re.fullmatch(self.pattern, found, re.ASCII) else None

    def page(self, kind: str, external_id: str) -> str:
        """The URL of the page of an object, "" if there is none."""
        return self.pages.get(kind, self.pages.get("", "")).format(kind=kind, id=external_id)


def _compact(text: str) -> str:
    return re.sub("[ -]", "", text).upper()


_NUMBER = "[1-9][0-9]{0,9}"
# Numbers and words for kinds in URLs of Comic Vine and the Grand Comics Database.
COMIC_VINE_NUMBERS = {
    "arc": 4045,
    "character": 4005,
    "creator": 4040,
    "imprint": 4010,
    "issue": 4000,
    "publisher": 4010,
    "series": 4050,
    "team": 4060,
}
_GCD = {
    "arc": "story_arc",
    "character": "character",
    "creator": "creator",
    "imprint": "brand_group",
    "issue": "issue",
    "publisher": "publisher",
    "series": "series",
    "team": "group",
    "universe": "universe",
}
EXTERNAL_SOURCES = {
    "comicvine": ExternalSource(
        "Comic Vine",
        _NUMBER,
        {
            kind: f"https://comicvine.gamespot.com/{kind}/{number}-{{id}}/"
            for kind, number in COMIC_VINE_NUMBERS.items()
        },
        # Comic Vine's URLs have a number for the kind before the id, as in 4000-1234.
        lambda text: re.sub("^40[0-9]{2}-", "", text.strip()),
    ),
    "gcd": ExternalSource(
        "Grand Comics Database",
        _NUMBER,
        {kind: f"https://www.comics.org/{word}/{{id}}/" for kind, word in _GCD.items()},
    ),
    "metron": ExternalSource("Metron", _NUMBER, {"": "https://metron.cloud/{kind}/{id}/"}),
    "isbn": ExternalSource(
        "ISBN", "97[89][0-9]{10}|[0-9]{9}[0-9X]", {"": "https://openlibrary.org/isbn/{id}"}, _compact
    ),
    "asin": ExternalSource(
        "Amazon", "[A-Z0-9]{10}", {"": "https://www.amazon.com/dp/{id}"}, lambda text: text.strip().upper()
    ),
    "anilist": ExternalSource("AniList", _NUMBER, {"series": "https://anilist.co/manga/{id}/"}),
    "myanimelist": ExternalSource("MyAnimeList", _NUMBER, {"series": "https://myanimelist.net/manga/{id}/"}),
    "mangaupdates": ExternalSource(
        "MangaUpdates", "[0-9a-z]{1,20}", {"series": "https://www.mangaupdates.com/series/{id}"}
    ),
    "bedetheque": ExternalSource("Bedetheque", _NUMBER),
    "wikidata": ExternalSource(
        "Wikidata",
        "Q[1-9][0-9]{0,12}",
        {"": "https://www.wikidata.org/wiki/{id}"},
        lambda text: text.strip().upper(),
    ),
    "locg": ExternalSource("League of Comic Geeks", _NUMBER),
}


ID_COLUMNS = {"comicvine": "cv_id", "gcd": "gcd_id"}  # the columns with the main ids, by source


class AnnouncementStyle(StrEnum):
    """The colour of an announcement."""

    PRIMARY = "primary"
    SUCCESS = "success"
    LINK = "link"
    WARNING = "warning"
    DANGER = "danger"


class SupporterTier(StrEnum):
    """Tiers of supporters."""

    FRIEND = "friend"
    BACKER = "backer"
    SPONSOR = "sponsor"
    MEGA_SPONSOR = "mega_sponsor"


class BookFormat(_Labelled):
    """The format in which a reader owns an issue."""

    PRINT = "PRINT"
    DIGITAL = "DIGITAL"
    BOTH = "BOTH"


class GradingCompany(_Labelled):
    """The company that graded a copy; "" means its owner."""

    CGC = "CGC", "CGC (Certified Guaranty Company)"
    CBCS = "CBCS", "CBCS (Comic Book Certification Service)"
    PGX = "PGX", "PGX (Professional Grading Experts)"


# The scale of grades, best first, with the names that collectors use.
GRADES = {
    Decimal("10.0"): "Gem Mint",
    Decimal("9.9"): "Mint",
    Decimal("9.8"): "NM/M",
    Decimal("9.6"): "NM+",
    Decimal("9.4"): "NM",
    Decimal("9.2"): "NM-",
    Decimal("9.0"): "VF/NM",
    Decimal("8.5"): "VF+",
    Decimal("8.0"): "VF",
    Decimal("7.5"): "VF-",
    Decimal("7.0"): "FN/VF",
    Decimal("6.5"): "FN+",
    Decimal("6.0"): "FN",
    Decimal("5.5"): "FN-",
    Decimal("5.0"): "VG/FN",
    Decimal("4.5"): "VG+",
    Decimal("4.0"): "VG",
    Decimal("3.5"): "VG-",
    Decimal("3.0"): "GD/VG",
    Decimal("2.5"): "GD+",
    Decimal("2.0"): "GD",
    Decimal("1.8"): "GD-",
    Decimal("1.5"): "FR/GD",
    Decimal("1.0"): "FR",
    Decimal("0.5"): "PR",
}


class PullMode(StrEnum):
    """The issues of a followed series that a reader wants."""

    ALL = "ALL"
    COVER = "COVER"
    VARIANTS = "VARIANTS"
    NONE = "NONE"


class WishStatus(_Labelled):
    """The status of a wish."""

    WANTED = "WANTED"
    FOUND = "FOUND"
    ACQUIRED = "ACQUIRED"


class ListType(_Labelled):
    """The type of a reading list."""

    CREATOR = "CREATOR"
    EVENT = "EVENT"
    STORY = "STORY"
    CHARACTERS = "CHARACTERS"
    TEAMS = "TEAMS"
    MASTER = "MASTER"


class ListSource(_Labelled):
    """The source of a reading list; "" means its owner."""

    CBRO = "CBRO", "Comic Book Reading Orders"
    CMRO = "CMRO", "Complete Marvel Reading Orders"
    CBH = "CBH", "Comic Book Herald"
    CBT = "CBT", "Comic Book Treasury"
    MG = "MG", "Marvel Guides"
    HTLC = "HTLC", "How To Love Comics"
    LOCG = "LOCG", "League of ComicGeeks"
    OTHER = "OTHER"


class WebhookState(StrEnum):
    """The state of a webhook: active, paused by its owner, or disabled after failures."""

    ACTIVE = "active"
    PAUSED = "paused"
    DISABLED = "disabled"


class TokenScope(StrEnum):
    """The scope of an API token; each includes the ones before it."""

    READ = "read"  # read the catalog
    LIBRARY = "library"  # read and write the owner's library: collection, lists, ratings
    EDIT = "edit"  # everything the owner may do


class ItemType(_Labelled):
    """The role of an issue in a reading list; "" means none."""

    PROLOGUE = "PROLOGUE"
    CORE = "CORE", "Core Issue"
    TIE_IN = "TIE_IN", "Tie-In"
    EPILOGUE = "EPILOGUE"


STARS = (1, 5)  # minimum and maximum
PRIORITIES = (1, 5)  # of wishes; 1 is the highest
DEFAULT_PRIORITY = 3

DEFAULT_COUNTRY = "US"
DEFAULT_LANGUAGE = "en"
UNKNOWN_AGE_RATING_ID = 1
EARLIEST_YEAR = 1900  # for the dates of issues
YEARS = (1500, 2100)  # range of the years of publishers, imprints and series

COUNTRIES = tuple(
    (
        "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT "
        "BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH "
        "ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT "
        "HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS "
        "LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI "
        "NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG "
        "SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG "
        "UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"
    ).split()
)

LANGUAGES = tuple(
    (
        "af ar ar-dz ast az be bg bn br bs ca ckb cs cy da de dsb el en en-au en-gb eo es es-ar es-co es-mx "
        "es-ni es-ve et eu fa fi fr fy ga gd gl he hi hr hsb ht hu hy ia id ig io is it ja ka kab kk km kn "
        "ko ky lb lt lv mk ml mn mr ms my nb ne nl nn os pa pl pt pt-br ro ru sk sl sq sr sr-latn sv "
        "sw ta te tg th tk tr tt udm ug uk ur uz vi zh-hans zh-hant"
    ).split()
)
