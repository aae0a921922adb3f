"""Texts of the site that are translated."""

from pyramid.i18n import TranslationStringFactory

DOMAIN = "comicsdb_web"
_ = TranslationStringFactory(DOMAIN)
