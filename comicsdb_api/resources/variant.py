"""The resource of variants, which are read with their issue."""

from comicsdb.catalog import issue_parts
from comicsdb.models import Variant
from comicsdb.schemas import VariantSchema
from comicsdb_api.resource import expressions
from comicsdb_api.resource.writes import PictureField
from comicsdb_api.resources.part import PartResource

variant = Variant.__table__


class VariantResource(PartResource):
    """Variants of issues, with another cover."""

    model = Variant
    schema = VariantSchema

    @classmethod
    def pictures(cls) -> PictureField:
        """The declaration of the pictures of covers."""
        return PictureField("variants", hashed=True)

    @classmethod
    def written_fields(cls) -> dict:
        """The fields of a variant; its currency is included even without a price."""
        return {
            "id": variant.c.id,
            "image": expressions.picture_url(variant.c.image),
            "name": variant.c.name,
            "price_currency": variant.c.currency,
            "price": expressions.money(variant.c.price),
            "sku": variant.c.sku,
            "upc": variant.c.upc,
            "issue": variant.c.issue_id,
        }

    def load_entity(self) -> Variant:
        """The variant with the id in the path; raises RefusedError (404)."""
        found = self.request.dbsession.get(Variant, self.id_in_path())
        if found is None:
            raise self.missing()
        return found

    def require_entity(self, _object_id: int) -> None:
        """Raise RefusedError (404) if there is no variant with the id in the path."""
        self.load_entity()

    def create_entity(self, values: dict) -> int:
        """Create a variant; returns its id."""
        return issue_parts.add_variant(self.request.catalog, values)

    def update_entity(self, object_id: int, values: dict) -> None:
        """Change a variant."""
        issue_parts.update_variant(self.request.catalog, object_id, values)

    def all_errors(self, entity: Variant | None, values: dict) -> tuple[dict, list]:
        """All errors of values by field; there are no conflicts, as variants have no unique fields."""
        return issue_parts.find_variant_errors(self.request.dbsession, entity, values).errors, []
