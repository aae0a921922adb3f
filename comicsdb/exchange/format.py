"""The files of a data set, version 1: their fields in order, and the columns they fill.

Import and export share this declaration. One JSON object a line; an `id` is unique in its file, `X_id`
points into the file of X; null is "unknown", and so is "" for a text. `image` is a path below images/.
"""

from comicsdb import models
from comicsdb.catalog.kinds import Link
from comicsdb.exchange import readers
from comicsdb.exchange.fields import (
    Field,
    File,
    common,
    day,
    identity,
    linked,
    links,
    number,
    picture,
    plain,
    points,
    price,
    text,
    texts,
    year,
)
from comicsdb.exchange.readers import optional
from comicsdb.models.attribution import OWNERS
from comicsdb.models.choices import (
    COUNTRIES,
    DEFAULT_COUNTRY,
    DEFAULT_LANGUAGE,
    EARLIEST_YEAR,
    LANGUAGES,
    AttributionSource,
    Status,
)

VERSION = 1

_ENTITY = (("slug", ("slug",)), ("cv_id", ("cv_id",)), ("gcd_id", ("gcd_id",)))

GENRES = File(
    "genres",
    models.Genre,
    (identity(models.Genre), text("name", models.Genre.name, required=True)),
    (("name", ("lower(name)",)),),
)
SERIES_TYPES = File(
    "series_types",
    models.SeriesType,
    (identity(models.SeriesType), text("name", models.SeriesType.name, required=True)),
    (("name", ("name",)),),
)
ROLES = File(
    "roles",
    models.Role,
    (
        identity(models.Role),
        text("name", models.Role.name, required=True),
        number("order", models.Role.order, required=True),
    ),
    (("name", ("name",)), ("order", ('"order"',))),
)
AGE_RATINGS = File(
    "age_ratings",
    models.AgeRating,
    (identity(models.AgeRating), text("name", models.AgeRating.name, required=True)),
    (("name", ("name",)),),
)
USERS = File(
    "users",
    models.User,
    (
        identity(models.User),
        plain(
            "username",
            models.User.username,
            readers.matching(
                models.User.username,
                r"(?!\d+$)[\w.@+-]+",
                "letters, digits and @ . + - _, and not digits alone",
            ),
        ),
        plain(
            "email",
            models.User.email,
            readers.matching(models.User.email, r"[^@\s]+@[^@\s]+", "an e-mail address"),
        ),
        Field("password", readers.text(models.User.bio), "text", "password", ""),
        Field(
            "api_token",
            readers.matching(models.ApiToken.digest, r"\S*", "a token without blanks"),
            "text",
            "api_token",
            "",
        ),
        plain("is_staff", models.User.is_staff, readers.flag, False),
        plain("is_superuser", models.User.is_superuser, readers.flag, False),
        Field("groups", readers.texts(models.Series.alt_names), "varchar[]", "groups", []),
        text("supporter_tier", models.User.supporter_tier),
        plain("supporter_until", models.User.supporter_until, optional(readers.moment), None),
        text("bio", models.User.bio),
        plain("date_joined", models.User.date_joined, readers.moment),
    ),
    (("username", ("lower(username)",)), ("email", ("lower(email)",))),
)
PUBLISHERS = File(
    "publishers",
    models.Publisher,
    (
        *common(models.Publisher),
        texts("alt_names", models.Publisher.alt_names),
        year("founded", models.Publisher.founded),
        plain("country", models.Publisher.country, readers.choice(COUNTRIES), DEFAULT_COUNTRY),
        picture(),
    ),
    _ENTITY,
)
IMPRINTS = File(
    "imprints",
    models.Imprint,
    (
        *common(models.Imprint),
        points("publisher_id", models.Imprint.publisher_id, "publishers"),
        year("founded", models.Imprint.founded),
        picture(),
    ),
    _ENTITY,
)
UNIVERSES = File(
    "universes",
    models.Universe,
    (
        *common(models.Universe),
        points("publisher_id", models.Universe.publisher_id, "publishers"),
        text("designation", models.Universe.designation),
        picture(),
    ),
    (*_ENTITY, ("publisher_id, name and designation", ("publisher_id", "name", "designation"))),
)
CREATORS = File(
    "creators",
    models.Creator,
    (
        *common(models.Creator),
        texts("alias", models.Creator.alias),
        day("birth", models.Creator.birth),
        day("death", models.Creator.death),
        picture(),
    ),
    _ENTITY,
)
TEAMS = File(
    "teams",
    models.Team,
    (
        *common(models.Team),
        *links(models.Team, creators="creators", universes="universes"),
        picture(),
    ),
    _ENTITY,
)
CHARACTERS = File(
    "characters",
    models.Character,
    (
        *common(models.Character),
        texts("alias", models.Character.alias),
        *links(models.Character, creators="creators", teams="teams", universes="universes"),
        picture(),
    ),
    _ENTITY,
)
ARCS = File("arcs", models.Arc, (*common(models.Arc), picture()), _ENTITY)
SERIES = File(
    "series",
    models.Series,
    (
        *common(models.Series),
        text("sort_name", models.Series.sort_name, required=True),
        texts("alt_names", models.Series.alt_names),
        plain("language", models.Series.language, readers.choice(("", *LANGUAGES)), DEFAULT_LANGUAGE),
        number("volume", models.Series.volume, required=True),
        year("year_began", models.Series.year_began, required=True),
        year("year_end", models.Series.year_end),
        points("series_type_id", models.Series.series_type_id, "series_types"),
        plain(
            "status",
            models.Series.status,
            readers.choice([status.value for status in Status]),
            Status.ONGOING.value,
        ),
        points("publisher_id", models.Series.publisher_id, "publishers"),
        points("imprint_id", models.Series.imprint_id, "imprints", required=False),
        plain("collection", models.Series.collection, readers.flag, False),
        *links(models.Series, genres="genres", associated="series"),
    ),
    (
        *_ENTITY,
        (
            "publisher_id, name, volume and series_type_id",
            ("publisher_id", "name", "volume", "series_type_id"),
        ),
    ),
)
ISSUES = File(
    "issues",
    models.Issue,
    (
        identity(models.Issue),
        points("series_id", models.Issue.series_id, "series"),
        plain("slug", models.Issue.slug, readers.slug(models.Issue.slug)),
        text("number", models.Issue.number, required=True),
        text("alt_number", models.Issue.alt_number),
        text("title", models.Issue.title),
        texts("story_titles", models.Issue.name),
        plain("cover_date", models.Issue.cover_date, readers.day(EARLIEST_YEAR)),
        day("store_date", models.Issue.store_date, EARLIEST_YEAR),
        day("foc_date", models.Issue.foc_date, EARLIEST_YEAR),
        *price(models.Issue),
        points("age_rating_id", models.Issue.rating_id, "age_ratings"),
        text("sku", models.Issue.sku),
        text("isbn", models.Issue.isbn),
        text("upc", models.Issue.upc),
        number("page_count", models.Issue.page),
        text("desc", models.Issue.desc),
        plain("desc_is_solicitation", models.Issue.desc_is_solicitation, readers.flag, False),
        picture(),
        plain(
            "cover_hash",
            models.Issue.cover_hash,
            readers.matching(models.Issue.cover_hash, r"([0-9a-fA-F]{16})?", "16 hexadecimal digits"),
            "",
        ),
        *links(
            models.Issue,
            arcs="arcs",
            characters="characters",
            teams="teams",
            universes="universes",
            reprints="issues",
        ),
        number("cv_id", models.Issue.cv_id),
        number("gcd_id", models.Issue.gcd_id),
        plain("created_by_id", models.Issue.created_by_id, readers.identifier, 1, "users"),
        plain("edited_by_id", models.Issue.edited_by_id, readers.identifier, 1, "users"),
        plain("created_on", models.Issue.created_on, readers.moment),
        plain("modified", models.Issue.modified, readers.moment),
    ),
    (*_ENTITY, ("series_id and number", ("series_id", "number"))),
)
CREDIT_ROLES = Link("roles", models.credit_role, "credit_id", "role_id", models.Role)
CREDITS = File(
    "credits",
    models.Credit,
    (
        identity(models.Credit),
        points("issue_id", models.Credit.issue_id, "issues"),
        points("creator_id", models.Credit.creator_id, "creators"),
        linked("role_ids", "roles", CREDIT_ROLES),
    ),
    (("issue_id and creator_id", ("issue_id", "creator_id")),),
)
VARIANTS = File(
    "variants",
    models.Variant,
    (
        identity(models.Variant),
        points("issue_id", models.Variant.issue_id, "issues"),
        text("name", models.Variant.name),
        *price(models.Variant),
        text("sku", models.Variant.sku),
        text("upc", models.Variant.upc),
        picture(required=True),
    ),
)
ATTRIBUTIONS = File(
    "attributions",
    models.Attribution,
    (
        identity(models.Attribution),
        Field("entity", readers.choice(OWNERS), "varchar(40)", "entity"),
        Field("entity_id", readers.identifier, "integer", "entity_id"),
        plain("source", models.Attribution.source, readers.choice(AttributionSource)),
        plain("url", models.Attribution.url, readers.url(models.Attribution.url)),
    ),
)
ISSUE_RATINGS = File(
    "issue_ratings",
    models.IssueRating,
    (
        identity(models.IssueRating),
        points("issue_id", models.IssueRating.issue_id, "issues"),
        points("user_id", models.IssueRating.user_id, "users"),
        plain("rating", models.IssueRating.rating, readers.whole(1, 5)),
        plain("created_on", models.IssueRating.created_on, readers.moment),
    ),
    (("issue_id and user_id", ("issue_id", "user_id")),),
)

REFERENCE = (GENRES, SERIES_TYPES, ROLES, AGE_RATINGS)
CATALOGUE = (PUBLISHERS, IMPRINTS, UNIVERSES, CREATORS, TEAMS, CHARACTERS, ARCS, SERIES, ISSUES)
PARTS = (CREDITS, VARIANTS, ATTRIBUTIONS)
# In the order in which they are read and written; accounts only where they were asked for.
FILES = (*REFERENCE, USERS, *CATALOGUE, *PARTS, ISSUE_RATINGS)
OF_ACCOUNTS = (USERS, ISSUE_RATINGS)
BY_NAME = {file.name: file for file in FILES}
BY_KIND = {file.kind: file for file in FILES}
