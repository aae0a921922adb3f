"""The fixtures of API clients and of a member, imported from the tests of API and site."""

from tests.api.conftest import editor, passwords, reader, writer
from tests.web.conftest import member

__all__ = ["editor", "member", "passwords", "reader", "writer"]
