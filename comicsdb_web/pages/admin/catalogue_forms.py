"""The forms of the administration: those of the site with all that may be edited, and of reference data."""

from dataclasses import replace

from comicsdb.schemas import (
    AgeRatingSchema,
    GenreSchema,
    RoleSchema,
    SeriesTypeSchema,
    UniverseSchema,
)
from comicsdb.schemas.base import NAME_LENGTH, external_id
from comicsdb.schemas.reference import SHORT_NAME_LENGTH
from comicsdb_web.forms import options
from comicsdb_web.forms.catalogue_forms import CV_ID, DESC, GCD_ID, NAME
from comicsdb_web.forms.fields import (
    Address,
    Checkbox,
    Choice,
    EntityForm,
    Field,
    Line,
    Paragraphs,
    Section,
    whole_number,
)
from comicsdb_web.pages.catalogue.history_labels import FORMS as SITE
from comicsdb_web.rendering.locales import _

ADDRESS = Section(
    "address",
    _("Address"),
    (
        Address(
            "slug",
            _("Address"),
            help=_(
                "The word in its address; blank for a new one: it is made. A former one leads here for ever."
            ),
            longest=255,
        ),
    ),
)
# What the site offers a few of by a setting, all of it here.
OPEN = {"country": options.every_country, "language": options.every_language}


class WholeUniverseSchema(UniverseSchema):
    """A universe with an ID that the site does not ask for."""

    cv_id = external_id()


def _opened(field: Field) -> Field:
    return replace(field, options=OPEN[field.name]) if field.name in OPEN else field


def _whole(form: EntityForm) -> EntityForm:
    """A form of the site with every choice, and the slug behind the IDs."""
    sections = []
    for section in form.sections:
        sections.append(replace(section, fields=tuple(map(_opened, section.fields))))
        if section.name == "ids":
            sections.append(ADDRESS)
    return EntityForm(form.schema, tuple(sections))


def _universe(form: EntityForm) -> EntityForm:
    sections = (
        replace(section, fields=(CV_ID, GCD_ID)) if section.name == "ids" else section
        for section in form.sections
    )
    return EntityForm(WholeUniverseSchema, tuple(sections))


def _reference(schema: type, *fields: Field) -> EntityForm:
    return EntityForm(schema, (Section("about", _("About"), fields),))


SHORT_NAME = Line("name", _("Name"), required=True, longest=SHORT_NAME_LENGTH)
NOTES = Paragraphs("notes", _("Notes"))

FORMS: dict[str, EntityForm] = {
    **{kind: _whole(form) for kind, form in SITE.items()},
    "universe": _whole(_universe(SITE["universe"])),
    "role": _reference(
        RoleSchema,
        SHORT_NAME,
        whole_number("order", _("Place in the order"), help=_("Each place is taken once."), required=True),
        Checkbox("is_writer", _("Counts as writing")),
        Checkbox("is_artist", _("Counts as drawing")),
        Checkbox("is_featured", _("Makes a featured creator of reading lists")),
        Checkbox("is_cover", _("Is a cover")),
        NOTES,
    ),
    "series_type": _reference(
        SeriesTypeSchema,
        NAME,
        Choice(
            "code",
            _("Code"),
            help=_("By it rules know the type, whatever its name; each is given once."),
            options=options.type_codes,
        ),
        NOTES,
    ),
    "genre": _reference(GenreSchema, SHORT_NAME, DESC),
    "age_rating": _reference(
        AgeRatingSchema,
        NAME,
        Line("short_description", _("Short description"), longest=NAME_LENGTH),
        Paragraphs("description", _("Description")),
    ),
}
REFERENCE = tuple(kind for kind in FORMS if kind not in SITE)
