"""The schema of attributions."""

from colander import Invalid

from comicsdb.i18n import _
from comicsdb.models.choices import AttributionSource
from comicsdb.schemas.base import ObjectSchema, field
from comicsdb.schemas.types import Choice, Text
from comicsdb.values import is_web_address

URL_LENGTH = 200


class WebAddress(Text):
    """An http or https URL."""

    def read(self, node, value):
        """Return the URL; raise Invalid for anything but an http or https URL."""
        text = super().read(node, value)
        if not is_web_address(text):
            raise Invalid(node, _("Enter a valid URL."))
        return text


class AttributionSchema(ObjectSchema):
    """The fields of an attribution."""

    source = field(Choice(AttributionSource), required=True)
    url = field(WebAddress(URL_LENGTH, blank=False), required=True)
