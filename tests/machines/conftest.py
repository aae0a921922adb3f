"""The account and the hasher that the machines' applications know."""

from tests.api.conftest import passwords, reader

__all__ = ["passwords", "reader"]
