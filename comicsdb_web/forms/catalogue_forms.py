"""The forms of the nine kinds, written out: which fields, in which sections."""

from comicsdb.models.choices import (
    DEFAULT_COUNTRY,
    DEFAULT_LANGUAGE,
    EARLIEST_YEAR,
    UNKNOWN_AGE_RATING_ID,
    Status,
)
from comicsdb.schemas import (
    ArcSchema,
    CharacterSchema,
    CreatorSchema,
    ImprintSchema,
    IssueSchema,
    PublisherSchema,
    SeriesSchema,
    TeamSchema,
    UniverseSchema,
)
from comicsdb.schemas.base import NAME_LENGTH
from comicsdb.schemas.issue import ISBN_LENGTH, NUMBER_LENGTH, SKU_LENGTH, TITLE_LENGTH, UPC_LENGTH
from comicsdb_web.forms import options
from comicsdb_web.forms.fields import (
    Checkbox,
    CheckboxGroup,
    Choice,
    EntityForm,
    Line,
    ModelSelect,
    Money,
    Paragraphs,
    Picture,
    Section,
    StringList,
    day,
    whole_number,
)
from comicsdb_web.rendering.locales import _

NAME = Line("name", _("Name"), required=True, longest=NAME_LENGTH)
ALT_NAMES = StringList("alt_names", _("Alternative names"), help=_("Several are separated by semicolons."))
ALIAS = StringList("alias", _("Aliases"), help=_("Several are separated by commas."), separator=",")
DESC = Paragraphs("desc", _("Description"), help=_("Plain text. An empty line begins a new paragraph."))
FOUNDED = whole_number("founded", _("Founded"), help=_("The year."))
CV_ID = whole_number("cv_id", _("Comic Vine ID"), help=_("The number at the end of the address there."))
GCD_ID = whole_number("gcd_id", _("GCD ID"), help=_("The number at the end of the address at comics.org."))
IMAGE = Picture("image", _("Picture"))
LOGO = Picture("image", _("Logo"))
PUBLISHER = ModelSelect("publisher", _("Publisher"), required=True, of="publisher")
CREATORS = ModelSelect("creators", _("Creators"), of="creator", many=True)
TEAMS = ModelSelect("teams", _("Teams"), of="team", many=True)
UNIVERSES = ModelSelect("universes", _("Universes"), of="universe", many=True)

IDS = Section("ids", _("Identification numbers"), (CV_ID, GCD_ID))
SOURCES = Section("sources", _("Attribution"), rows=("attribution",))


def _about(*fields) -> Section:
    return Section("about", _("About"), fields)


def _picture(field: Picture) -> Section:
    return Section("picture", field.label, (field,))


PUBLISHER_FORM = EntityForm(
    PublisherSchema,
    (
        _about(
            NAME,
            ALT_NAMES,
            FOUNDED,
            Choice("country", _("Country"), initial=DEFAULT_COUNTRY, options=options.countries),
            DESC,
        ),
        _picture(LOGO),
        IDS,
        SOURCES,
    ),
)

IMPRINT_FORM = EntityForm(
    ImprintSchema, (_about(NAME, PUBLISHER, FOUNDED, DESC), _picture(LOGO), IDS, SOURCES)
)

UNIVERSE_FORM = EntityForm(
    UniverseSchema,
    (
        _about(
            PUBLISHER,
            NAME,
            Line(
                "designation",
                _("Designation"),
                help=_("Such as Earth 2, without a hyphen."),
                longest=NAME_LENGTH,
            ),
            DESC,
        ),
        _picture(IMAGE),
        Section("ids", _("Identification numbers"), (GCD_ID,)),
        SOURCES,
    ),
)

ARC_FORM = EntityForm(ArcSchema, (_about(NAME, DESC), _picture(IMAGE), IDS, SOURCES))

CREATOR_FORM = EntityForm(
    CreatorSchema,
    (
        _about(NAME, ALIAS, day("birth", _("Born")), day("death", _("Died")), DESC),
        _picture(IMAGE),
        IDS,
        SOURCES,
    ),
)

TEAM_FORM = EntityForm(
    TeamSchema,
    (
        _about(NAME, DESC),
        Section("links", _("Connections"), (CREATORS, UNIVERSES)),
        _picture(IMAGE),
        IDS,
        SOURCES,
    ),
)

CHARACTER_FORM = EntityForm(
    CharacterSchema,
    (
        _about(NAME, ALIAS, DESC),
        Section("links", _("Connections"), (CREATORS, TEAMS, UNIVERSES)),
        _picture(IMAGE),
        IDS,
        SOURCES,
    ),
)

SERIES_FORM = EntityForm(
    SeriesSchema,
    (
        _about(
            NAME,
            Line(
                "sort_name",
                _("Sort name"),
                help=_("By which lists are ordered: usually the name without The or A."),
                required=True,
                longest=NAME_LENGTH,
            ),
            ALT_NAMES,
            PUBLISHER,
            ModelSelect("imprint", _("Imprint"), of="imprint"),
            DESC,
        ),
        Section(
            "run",
            _("Type and run"),
            (
                Choice("series_type", _("Type"), required=True, options=options.series_types),
                Choice(
                    "status",
                    _("Status"),
                    required=True,
                    initial=str(Status.ONGOING.value),
                    options=options.statuses,
                ),
                whole_number("volume", _("Volume"), help=_("Its number, not a year."), required=True),
                Choice("language", _("Language"), initial=DEFAULT_LANGUAGE, options=options.languages),
                whole_number("year_began", _("First year"), required=True),
                whole_number(
                    "year_end", _("Last year"), help=_("Blank while it goes on, and for one-shots.")
                ),
                Checkbox(
                    "collection",
                    _("Issues may have a collection title"),
                    help=_("For series of collected editions whose volumes have titles of their own."),
                ),
            ),
        ),
        Section(
            "links",
            _("Connections"),
            (
                CheckboxGroup("genres", _("Genres"), options=options.genres),
                ModelSelect("associated", _("Associated series"), of="series", many=True),
            ),
        ),
        IDS,
        SOURCES,
    ),
)

_SINCE = _("Not before ${year}.", mapping={"year": EARLIEST_YEAR})

ISSUE_FORM = EntityForm(
    IssueSchema,
    (
        _about(
            ModelSelect("series", _("Series"), required=True, of="series"),
            Line("number", _("Number"), required=True, longest=NUMBER_LENGTH),
            Line("alt_number", _("Alternative number"), help=_("Legacy numbering."), longest=NUMBER_LENGTH),
            Line(
                "title",
                _("Collection title"),
                help=_("Only where the series allows one."),
                longest=TITLE_LENGTH,
            ),
            StringList("name", _("Stories"), help=_("Their titles in order, separated by semicolons.")),
            DESC,
            Checkbox("desc_is_solicitation", _("The description is the publisher's announcement")),
        ),
        _picture(Picture("image", _("Cover"), size="cover")),
        Section(
            "dates",
            _("Dates and price"),
            (
                day("cover_date", _("Cover date"), help=_SINCE, required=True),
                day("store_date", _("In stores")),
                day("foc_date", _("Final order cut-off")),
                Money("price", _("Price")),
                whole_number("page", _("Pages")),
                Choice(
                    "rating",
                    _("Age rating"),
                    required=True,
                    initial=str(UNKNOWN_AGE_RATING_ID),
                    options=options.age_ratings,
                ),
            ),
        ),
        Section("credits", _("Credits"), rows=("credits",)),
        Section(
            "content",
            _("Who and where"),
            (
                ModelSelect("characters", _("Characters"), of="character", many=True, copyable=True),
                ModelSelect("teams", _("Teams"), of="team", many=True, copyable=True),
                ModelSelect("arcs", _("Story arcs"), of="arc", many=True),
                UNIVERSES,
                ModelSelect(
                    "reprints",
                    _("Reprints"),
                    help=_("Search as: series (year) #number"),
                    of="issue",
                    many=True,
                ),
            ),
        ),
        Section("variants", _("Variant covers"), rows=("variants",)),
        Section(
            "ids",
            _("Codes"),
            (
                Line("sku", "SKU", help=_("Letters and digits."), longest=SKU_LENGTH),
                Line("isbn", "ISBN", help=_("As printed; hyphens are left out."), longest=2 * ISBN_LENGTH),
                Line(
                    "upc",
                    "UPC",
                    help=_("As printed below the bar code, the supplement included: 7 59606 08936 9 00111."),
                    longest=2 * UPC_LENGTH,
                    mode="numeric",
                ),
                CV_ID,
                GCD_ID,
            ),
        ),
        SOURCES,
    ),
)
