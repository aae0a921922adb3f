"""Shops on the site: views, form and icon; `shop/detail.jinja2` is the template."""

from comicsdb_shops import SHOPS, Shop, ShopSchema
from comicsdb_web.forms.fields import EntityForm, Line, Section
from comicsdb_web.pages.catalog.base import EntityViews
from comicsdb_web.rendering.page_cache import CachePolicy


class ShopViews(EntityViews):
    """The pages of shops."""

    model = Shop
    form = EntityForm(
        ShopSchema,
        (Section("about", "About", (Line("name", "Name", required=True), Line("city", "City"))),),
    )
    icon = '<path d="M4 9h16M5 9v11h14V9M4 9l2-5h12l2 5"/>'
    menu = "people"
    shows = CachePolicy(("shop",), Shop)


def includeme(config):
    config.include("comicsdb_web")
    config.add_catalog_kind(SHOPS)
    config.add_entity_views(ShopViews)
