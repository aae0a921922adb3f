"""The start of sending a response: its conditions are evaluated, and its body begins.

WebOb does both when the server calls the response, after all execution policies: nothing would count, log or
answer a failure, and the metrics would have 200 for a 304. So one of the policies does it.
"""

import logging
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from pyramid.response import Response

from comicsdb.http.execution_policies import NOTE_CUT_KEY, wrap_execution_policy
from comicsdb.http.streams import Body, Stream
from comicsdb.ops.logs import log_failure, logging_for

log = logging.getLogger(__name__)


class SendingPolicy:
    """An execution policy whose responses have their final status, and of a body its first piece."""

    def __init__(self, registry, inner):  # noqa: ARG002  (the signature of all policies)
        self._inner = inner

    def __call__(self, environ, router):
        """The response, evaluated."""
        response, head = self._inner(environ, router), []
        try:
            body = response(environ, lambda status, headers, *_: head.extend((status, headers)))
        except BaseException:
            _close(response.app_iter)
            raise
        if not isinstance(body, list):
            body = _watched(body, environ)
        return Response(status=head[0], headerlist=head[1], app_iter=body)


def _watched(body: Iterable[bytes], environ: dict) -> Iterable[bytes]:
    """The body, begun unless it is a stream, with failures logged and counted."""
    kind, rest, first = (Stream if isinstance(body, Stream) else Body), iter(body), ()
    if kind is Body:
        try:
            first = [next(rest)]
        except StopIteration:
            _close(body)
            return []
        except BaseException:
            _close(body)
            raise
    return kind(chain(first, _logged(rest, environ)), partial(_close, body))


def _close(body: Iterable[bytes]) -> None:
    if hasattr(body, "close"):
        body.close()


def _logged(pieces: Iterator[bytes], environ: dict) -> Iterator[bytes]:
    try:
        yield from pieces
    except Exception as error:
        with logging_for(environ):
            log_failure(log, error, "The response to %s was cut off", environ["REQUEST_METHOD"])
        environ.get(NOTE_CUT_KEY, lambda: None)()
        raise


def includeme(config):
    """Add the policy."""
    wrap_execution_policy(config, SendingPolicy)
