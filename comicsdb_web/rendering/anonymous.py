"""Whether what is being made is for everybody: then nothing of the reader may get into it."""

from contextlib import contextmanager

KEY = "comicsdb_web.shared"  # in the environment of a request


@contextmanager
def render_anonymously(request):
    """What is made in this block is shown to every anonymous reader."""
    request.environ[KEY] = True
    try:
        yield
    finally:
        del request.environ[KEY]


def is_shared(request) -> bool:
    """Whether that is so now."""
    return KEY in request.environ
