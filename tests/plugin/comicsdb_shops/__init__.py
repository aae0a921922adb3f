"""An example of an integrator's package: it adds shops, a new kind, to the API of comicsdb."""

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.catalog import Kind
from comicsdb.models import Entity
from comicsdb.models.base import entity_args
from comicsdb.schemas.base import EntitySchema, text
from comicsdb_api.resource.base import EntityResource


class Shop(Entity):
    """A place that sells comics."""

    __tablename__ = "shop"
    __table_args__ = (*entity_args("shop"), Index("uq_shop_name_city", "name", "city", unique=True))

    city: Mapped[str] = mapped_column(String(100), server_default="")


SHOPS = Kind(
    Shop, ("name", "city"), label="Shop", plural="Shops", listed_with=(), note=lambda shop: shop.city
)


class ShopSchema(EntitySchema):
    """Validation of the fields of a shop."""

    city = text(100)


class ShopResource(EntityResource):
    """Shops in the API."""

    model = Shop
    schema = ShopSchema  # without a schema, shops would be read-only

    @classmethod
    def detail_fields(cls):
        """The fields of every kind, and the city."""
        return super().detail_fields() | {"city": Shop.__table__.c.city}


def open_shop(request):
    """Create a shop from the query parameters, through the catalog service like all writes."""
    values = ShopSchema().deserialize(dict(request.GET))
    return {"id": request.catalog.create(Shop, values).id}


def includeme(config):
    config.include("comicsdb_api")
    config.add_catalog_kind(SHOPS)
    config.add_entity_resource(ShopResource)
    config.add_route("shop.open", "/shop/open/", request_method="POST")
    config.add_view(open_shop, route_name="shop.open", renderer="json", require_csrf=False)
