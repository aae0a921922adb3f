"""The forms of the administration: those of the site with more fields and options, and of reference data."""

from dataclasses import replace

from comicsdb.schemas import (
    AgeRatingSchema,
    GenreSchema,
    RoleSchema,
    SeriesTypeSchema,
)
from comicsdb.schemas.base import NAME_LENGTH
from comicsdb.schemas.reference import SHORT_NAME_LENGTH, TRANSLATION_LENGTH
from comicsdb_web.forms import options
from comicsdb_web.forms.catalog_forms import DESC, NAME
from comicsdb_web.forms.fields import (
    Checkbox,
    Choice,
    EntityForm,
    Field,
    Line,
    Section,
    SlugField,
    TextArea,
    TranslatedText,
    integer_field,
)
from comicsdb_web.rendering.locales import _

ADDRESS = Section(
    "address",
    _("Address"),
    (
        SlugField(
            "slug",
            _("Address"),
            help=_(
                "The last part of its address. Leave blank to generate one."
                " Former addresses redirect here permanently."
            ),
            max_length=255,
        ),
    ),
)
# Fields for which the site offers the options of a setting, and the administration all options.
OPEN = {"country": options.every_country, "language": options.every_language}


def _opened(field: Field) -> Field:
    return replace(field, options=OPEN[field.name]) if field.name in OPEN else field


def _whole(form: EntityForm) -> EntityForm:
    """A form of the site with all options, and the slug after the IDs."""
    sections = []
    for section in form.sections:
        sections.append(replace(section, fields=tuple(map(_opened, section.fields))))
        if section.name == "ids":
            sections.append(ADDRESS)
    return EntityForm(form.schema, tuple(sections))


def _reference(schema: type, *fields: Field) -> EntityForm:
    return EntityForm(schema, (Section("about", _("About"), fields),))


SHORT_NAME = Line("name", _("Name"), required=True, max_length=SHORT_NAME_LENGTH)
NAMES = TranslatedText(
    "names",
    _("Name in other languages"),
    help=_("For pages in this language; without it, they show the English name."),
    max_length=TRANSLATION_LENGTH,
)
NOTES = TextArea("notes", _("Notes"))

REFERENCE: dict[str, EntityForm] = {
    "role": _reference(
        RoleSchema,
        SHORT_NAME,
        NAMES,
        integer_field("order", _("Position"), help=_("Each position can be used once."), required=True),
        Checkbox("is_writer", _("Counts as writing")),
        Checkbox("is_artist", _("Counts as drawing")),
        Checkbox("is_featured", _("Features the credited creator on reading lists")),
        Checkbox("is_cover", _("Is a cover")),
        NOTES,
    ),
    "series_type": _reference(
        SeriesTypeSchema,
        NAME,
        NAMES,
        Choice(
            "code",
            _("Code"),
            help=_("Rules identify the type by this code, whatever its name. Each code is used once."),
            options=options.type_codes,
        ),
        NOTES,
    ),
    "genre": _reference(GenreSchema, SHORT_NAME, NAMES, DESC),
    "age_rating": _reference(
        AgeRatingSchema,
        NAME,
        NAMES,
        Line("short_description", _("Short description"), max_length=NAME_LENGTH),
        TextArea("description", _("Description")),
    ),
}


def form_of(request, kind: str) -> EntityForm:
    """The form of a kind."""
    if kind in REFERENCE:
        return REFERENCE[kind]
    views = request.registry["comicsdb_web.kind_views"][kind]
    return _whole(views.admin_form or views.form)
