"""Reference applications that return constant bytes, behind the same server as comicsdb.

The setting `bodies` names a folder with the bodies `detail` and `list`, and the headers of each as JSON.
"""

import json
import secrets
from pathlib import Path
from types import SimpleNamespace

from cornice.service import Service
from pyramid.config import Configurator
from pyramid.response import Response

from comicsdb.config import FIXED_SETTINGS, parse_settings

# The production server reads settings of the application that it serves.
SETTINGS = parse_settings({"sqlalchemy.url": "postgresql://none", "comicsdb.secret": secrets.token_urlsafe()})
PATHS = {"detail": "/api/issue/{id}/", "list": "/api/issue/"}


def write(folder: Path, name: str, headers: list[tuple[str, str]], body: bytes) -> None:
    """Store a response to be returned as a constant."""
    (folder / name).write_bytes(body)
    (folder / f"{name}.json").write_text(json.dumps(headers))


def _read(folder: str, name: str) -> tuple[list[tuple[str, str]], bytes]:
    headers = json.loads(Path(folder, f"{name}.json").read_text())
    return [(each, value) for each, value in headers], Path(folder, name).read_bytes()


def cornice_app(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """Return an application of Pyramid and Cornice, configured like the API, with constant views."""
    with Configurator(
        settings={**SETTINGS, **settings, **FIXED_SETTINGS, "handle_exceptions": False}
    ) as config:
        config.include("pyramid_retry")
        config.include("pyramid_tm")
        config.include("cornice")
        for name, path in PATHS.items():
            service = Service(name, path)
            service.add_view("GET", _view(*_read(settings["bodies"], name)))
            config.add_cornice_service(service)
        return config.make_wsgi_app()


def _view(headers, body):
    def view(_request):
        return Response(body=body, headerlist=list(headers))

    return view


def wsgi_app(global_config, **settings):  # noqa: ARG001
    """Return a bare WSGI application: the maximum speed of a server."""
    answers = {name: _read(settings["bodies"], name) for name in PATHS}

    def app(environ, start_response):
        headers, body = answers["list" if environ["PATH_INFO"] == PATHS["list"] else "detail"]
        start_response("200 OK", headers)
        return [body]

    app.registry = SimpleNamespace(settings=SETTINGS)
    return app
