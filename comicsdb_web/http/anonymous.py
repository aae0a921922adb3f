"""Rendering for the page cache: the output may contain nothing about the reader."""

from contextlib import contextmanager

KEY = "comicsdb_web.shared"  # in the environment of a request


@contextmanager
def render_anonymously(request):
    """Within this block, the rendered output is shown to all anonymous readers."""
    request.environ[KEY] = True
    try:
        yield
    finally:
        del request.environ[KEY]


def is_rendered_anonymously(request) -> bool:
    """Whether the request is being rendered for all anonymous readers."""
    return KEY in request.environ
