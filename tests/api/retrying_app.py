"""An address of the API whose request is tried several times before it is answered."""

from cornice.service import Service
from pyramid_retry import RetryableException

from comicsdb.security import Permission
from comicsdb_api.responses import json_response

ATTEMPTS = 3


def get(request):
    """The attempt that succeeded."""
    attempt = request.environ["retry.attempt"] + 1
    if attempt < ATTEMPTS:
        raise RetryableException
    return json_response(request, {"attempt": attempt})


def includeme(config):
    """Serve it."""
    service = Service("api.fickle", "/api/fickle/")
    service.add_view("GET", get, permission=Permission.API)
    config.add_cornice_service(service)
