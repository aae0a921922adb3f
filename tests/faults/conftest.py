"""The clients of the API, for faults too."""

from tests.api.conftest import editor, passwords, reader, writer

__all__ = ["editor", "passwords", "reader", "writer"]
