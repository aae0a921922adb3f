"""An endpoint of the API whose request is retried several times before it succeeds."""

from cornice.service import Service
from pyramid_retry import RetryableException

from comicsdb.security import Permission
from comicsdb_api.responses import json_response

ATTEMPTS = 3


def get(request):
    """Fail until the last attempt; returns its number."""
    attempt = request.environ["retry.attempt"] + 1
    if attempt < ATTEMPTS:
        raise RetryableException
    return json_response(request, {"attempt": attempt})


def includeme(config):
    """Serve the endpoint."""
    service = Service("api.fickle", "/api/fickle/")
    service.add_view("GET", get, permission=Permission.API)
    config.add_cornice_service(service)
