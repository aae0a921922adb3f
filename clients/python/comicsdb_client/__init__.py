"""A client for the REST API of comicsdb: `Client`, and `AsyncClient` for asyncio."""

from comicsdb_client.answers import Candidate, Found, Json, Match, Page
from comicsdb_client.cache import Cache
from comicsdb_client.clients import AsyncClient, Client
from comicsdb_client.errors import (
    ApiError,
    BadRequestError,
    ClientError,
    ConnectionFailedError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    UnauthorizedError,
)

__all__ = [
    "ApiError",
    "AsyncClient",
    "BadRequestError",
    "Cache",
    "Candidate",
    "Client",
    "ClientError",
    "ConnectionFailedError",
    "ForbiddenError",
    "Found",
    "GoneError",
    "Json",
    "Match",
    "NotFoundError",
    "Page",
    "RateLimitedError",
    "ServerError",
    "UnauthorizedError",
]
