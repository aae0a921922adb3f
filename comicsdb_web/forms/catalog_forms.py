"""Fields and sections of the forms of several kinds."""

from comicsdb.schemas.base import NAME_LENGTH
from comicsdb_web.forms.fields import (
    Line,
    ModelSelect,
    Picture,
    Section,
    StringList,
    TextArea,
    integer_field,
)
from comicsdb_web.rendering.locales import _

NAME = Line("name", _("Name"), required=True, max_length=NAME_LENGTH)
ALT_NAMES = StringList("alt_names", _("Alternative names"), help=_("Separate several with semicolons."))
ALIAS = StringList("alias", _("Aliases"), help=_("Separate several with commas."), separator=",")
DESC = TextArea("desc", _("Description"), help=_("Plain text. A blank line starts a new paragraph."))
FOUNDED = integer_field("founded", _("Founded"), help=_("The year."))
CV_ID = integer_field("cv_id", _("Comic Vine ID"), help=_("The number at the end of the address there."))
GCD_ID = integer_field("gcd_id", _("GCD ID"), help=_("The number at the end of the address at comics.org."))
IMAGE = Picture("image", _("Picture"))
LOGO = Picture("image", _("Logo"))
PUBLISHER = ModelSelect("publisher", _("Publisher"), required=True, source="publisher")
CREATORS = ModelSelect("creators", _("Creators"), source="creator", multiple=True, creatable=True)
TEAMS = ModelSelect("teams", _("Teams"), source="team", multiple=True, creatable=True)
UNIVERSES = ModelSelect("universes", _("Universes"), source="universe", multiple=True)

IDS = Section("ids", _("Identification numbers"), (CV_ID, GCD_ID), folded=True)
EXTERNAL_IDS = Section("external-ids", _("External IDs"), rows=("external_ids",), folded=True)
SOURCES = Section("sources", _("Attribution"), rows=("attribution",), folded=True)


def about(*fields) -> Section:
    """The first section."""
    return Section("about", _("About"), fields)


def picture(field: Picture) -> Section:
    """The section of a picture."""
    return Section("picture", field.label, (field,))
