"""The closed lists of values that columns may hold."""

from decimal import Decimal
from enum import IntEnum, StrEnum


class Status(IntEnum):
    """Whether a series goes on."""

    CANCELLED = 1
    COMPLETED = 2
    HIATUS = 3
    ONGOING = 4

    @property
    def label(self) -> str:
        """The English word the API shows."""
        return self.name.capitalize()


class Currency(StrEnum):
    """Currencies of prices."""

    USD = "USD"
    GBP = "GBP"
    EUR = "EUR"
    ITL = "ITL"


class SeriesTypeCode(StrEnum):
    """What program logic asks of a series type; names and ids are data."""

    ONE_SHOT = "one_shot"
    ANNUAL = "annual"
    HARDCOVER = "hardcover"
    GRAPHIC_NOVEL = "graphic_novel"
    TRADE_PAPERBACK = "trade_paperback"
    LIMITED_SERIES = "limited_series"
    DIGITAL_CHAPTER = "digital_chapter"
    SINGLE_ISSUE = "single_issue"
    OMNIBUS = "omnibus"


# Names in older data sets that stand for a code today.
SERIES_TYPE_OLDER_NAMES = {
    "Annual Series": SeriesTypeCode.ANNUAL,
    "Digital Chapters": SeriesTypeCode.DIGITAL_CHAPTER,
    "Hard Cover": SeriesTypeCode.HARDCOVER,
}
COLLECTED_CODES = (SeriesTypeCode.HARDCOVER, SeriesTypeCode.TRADE_PAPERBACK, SeriesTypeCode.OMNIBUS)


class AttributionSource(StrEnum):
    """Where a catalogue text comes from."""

    MARVEL = "M"
    WIKIPEDIA = "W"
    GCD = "G"
    DC = "D"

    @property
    def label(self) -> str:
        """The name of the source."""
        return ATTRIBUTION_LABELS[self]


ATTRIBUTION_LABELS = {
    AttributionSource.MARVEL: "Marvel",
    AttributionSource.WIKIPEDIA: "Wikipedia",
    AttributionSource.GCD: "Grand Comics Database",
    AttributionSource.DC: "DC",
}


class AnnouncementStyle(StrEnum):
    """Colour of an announcement."""

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


class BookFormat(StrEnum):
    """How a reader has an issue."""

    PRINT = "PRINT"
    DIGITAL = "DIGITAL"
    BOTH = "BOTH"

    @property
    def label(self) -> str:
        """The English word the API shows."""
        return self.capitalize()


class GradingCompany(StrEnum):
    """Who graded a copy; "" stands for its owner."""

    CGC = "CGC"
    CBCS = "CBCS"
    PGX = "PGX"

    @property
    def label(self) -> str:
        """The name the API shows."""
        return f"{self} ({GRADING_COMPANY_NAMES[self]})"


GRADING_COMPANY_NAMES = {
    GradingCompany.CGC: "Certified Guaranty Company",
    GradingCompany.CBCS: "Comic Book Certification Service",
    GradingCompany.PGX: "Professional Grading Experts",
}

# The scale of grades, best first, with what collectors call them.
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


class WishStatus(StrEnum):
    """How far a wish has come."""

    WANTED = "WANTED"
    FOUND = "FOUND"
    ACQUIRED = "ACQUIRED"

    @property
    def label(self) -> str:
        """The English word the API shows."""
        return self.capitalize()


class ListType(StrEnum):
    """What holds a reading list together."""

    CREATOR = "CREATOR"
    EVENT = "EVENT"
    STORY = "STORY"
    CHARACTERS = "CHARACTERS"
    TEAMS = "TEAMS"
    MASTER = "MASTER"

    @property
    def label(self) -> str:
        """The English word the API shows."""
        return self.capitalize()


class ListSource(StrEnum):
    """Where a reading list was taken from; "" stands for its owner."""

    CBRO = "CBRO"
    CMRO = "CMRO"
    CBH = "CBH"
    CBT = "CBT"
    MG = "MG"
    HTLC = "HTLC"
    LOCG = "LOCG"
    OTHER = "OTHER"

    @property
    def label(self) -> str:
        """The name of the source."""
        return LIST_SOURCE_NAMES[self]


LIST_SOURCE_NAMES = {
    ListSource.CBRO: "Comic Book Reading Orders",
    ListSource.CMRO: "Complete Marvel Reading Orders",
    ListSource.CBH: "Comic Book Herald",
    ListSource.CBT: "Comic Book Treasury",
    ListSource.MG: "Marvel Guides",
    ListSource.HTLC: "How To Love Comics",
    ListSource.LOCG: "League of ComicGeeks",
    ListSource.OTHER: "Other",
}


class TokenScope(StrEnum):
    """What an API token may be used for; each may do what those before it may."""

    READ = "read"  # read the catalogue
    LIBRARY = "library"  # read and write what its owner keeps: collection, lists, ratings
    EDIT = "edit"  # everything that its owner may do


class ItemType(StrEnum):
    """What an issue is within a reading list; "" says nothing."""

    PROLOGUE = "PROLOGUE"
    CORE = "CORE"
    TIE_IN = "TIE_IN"
    EPILOGUE = "EPILOGUE"

    @property
    def label(self) -> str:
        """The words the API shows."""
        return ITEM_TYPE_LABELS[self]


ITEM_TYPE_LABELS = {
    ItemType.PROLOGUE: "Prologue",
    ItemType.CORE: "Core Issue",
    ItemType.TIE_IN: "Tie-In",
    ItemType.EPILOGUE: "Epilogue",
}

STARS = (1, 5)  # fewest and most
PRIORITIES = (1, 5)  # of wishes, 1 is the highest
DEFAULT_PRIORITY = 3

DEFAULT_COUNTRY = "US"
DEFAULT_LANGUAGE = "en"
UNKNOWN_AGE_RATING_ID = 1
EARLIEST_YEAR = 1900  # of the dates of issues
YEARS = (1500, 2100)  # in which publishers, imprints and series may begin and end

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
