"""Fragments of pages for our scripts: `<template data-target data-mode>`."""

from pyramid.renderers import render
from pyramid.response import Response


def log_in_first(request) -> Response:
    """The response to a script whose reader has to log in: it opens the log-in page."""
    return Response(status=204, headers={"X-Location": request.route_path("login")})


def fragment(request, template: str, values: dict, *, status: int = 200) -> Response:
    """Render a fragment; its template consists of `<template>` elements."""
    body = request.fill_marks(render(f"fragments/{template}.jinja2", values, request=request))
    response = Response(body, status=status, content_type="text/html", charset="utf-8")
    response.headers["Cache-Control"] = "no-store"
    response.vary = ("X-Fragment",)
    return response
