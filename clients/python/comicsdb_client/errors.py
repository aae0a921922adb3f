"""The exceptions of this package, with the server's messages."""

import httpx


class ClientError(Exception):
    """Base of all errors of this package."""


class ConnectionFailedError(ClientError):
    """The server cannot be reached, or the connection broke."""


class ApiError(ClientError):
    """The server rejected the request: the status, its message, and its messages by field or parameter."""

    def __init__(self, status: int, message: str, errors: dict[str, list[str]] | None = None):
        self.status = status
        self.message = message
        self.errors = errors or {}
        told = [f"{field}: {' '.join(messages)}" for field, messages in self.errors.items()]
        super().__init__(f"{status}: {'; '.join(told) or message}")


class BadRequestError(ApiError):
    """A parameter or field is invalid; `errors` has the messages for each."""


class UnauthorizedError(ApiError):
    """The token is missing, wrong or expired."""


class ForbiddenError(ApiError):
    """The account may not do this, or its token has too narrow a scope."""


class NotFoundError(ApiError):
    """There is no such object or address."""


class GoneError(ApiError):
    """The object was deleted, or the change feed cannot continue: start from a dump, or read the lists again.

    For the feed, `epoch` and `after` say where to continue then, and `dump` is the address of dumps, if any.
    """

    def __init__(self, status: int, message: str, errors: dict[str, list[str]] | None = None):
        super().__init__(status, message, errors)
        self.epoch = ""
        self.after = 0
        self.dump = ""


class RateLimitedError(ApiError):
    """The rate limit is used up for `seconds` seconds, longer than the client is willing to wait."""

    def __init__(self, message: str, seconds: float):
        super().__init__(429, message)
        self.seconds = seconds


class ServerError(ApiError):
    """The server failed."""


_BY_STATUS = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    410: GoneError,
}


def error_from(response: httpx.Response) -> ApiError:
    """The error that a response reports."""
    try:
        body = response.json()
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    errors = body.get("errors", {})
    message = str(body.get("detail") or response.reason_phrase)
    usual = ServerError if response.status_code >= 500 else ApiError
    error = _BY_STATUS.get(response.status_code, usual)(response.status_code, message, errors)
    if isinstance(error, GoneError):
        error.epoch, error.dump = str(body.get("epoch", "")), str(body.get("dump", ""))
        error.after = int(body.get("after", 0))
    return error
