"""The fixtures of API clients, imported from the API's tests."""

from tests.api.conftest import editor, passwords, reader, writer

__all__ = ["editor", "passwords", "reader", "writer"]
