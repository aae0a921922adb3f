"""Fields and sections of the forms of several kinds."""

from comicsdb.schemas.base import NAME_LENGTH
from comicsdb_web.forms.fields import (
    Line,
    ModelSelect,
    Paragraphs,
    Picture,
    Section,
    StringList,
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
CREATORS = ModelSelect("creators", _("Creators"), of="creator", many=True, creatable=True)
TEAMS = ModelSelect("teams", _("Teams"), of="team", many=True, creatable=True)
UNIVERSES = ModelSelect("universes", _("Universes"), of="universe", many=True)

IDS = Section("ids", _("Identification numbers"), (CV_ID, GCD_ID), folded=True)
EXTERNAL_IDS = Section("external-ids", _("External ids"), rows=("external_ids",), folded=True)
SOURCES = Section("sources", _("Attribution"), rows=("attribution",), folded=True)


def about(*fields) -> Section:
    """The first section."""
    return Section("about", _("About"), fields)


def picture(field: Picture) -> Section:
    """The section of a picture."""
    return Section("picture", field.label, (field,))
