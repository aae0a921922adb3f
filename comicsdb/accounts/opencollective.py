"""The donation platform: contributions to a collective, as Open Collective's GraphQL API tells of them."""

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from comicsdb.accounts.supporters import FREQUENCIES, Gift
from comicsdb.mail.letter import printable

log = logging.getLogger(__name__)

PAGE = 1000  # contributions asked for at once
TIMEOUT = 30  # seconds
LARGEST = 50_000_000  # bytes of an answer
CURRENCY = "USD"
LONGEST_ID, LONGEST_EMAIL = 64, 254
QUERY = """
query Contributions($collective: String!, $since: DateTime, $limit: Int!, $offset: Int!) {
  transactions(
    account: [{slug: $collective}]
    type: CREDIT
    kind: [CONTRIBUTION]
    dateFrom: $since
    orderBy: {field: CREATED_AT, direction: ASC}
    limit: $limit
    offset: $offset
  ) {
    totalCount
    nodes {
      id
      createdAt
      isRefund
      isRefunded
      amount { valueInCents currency }
      amountInHostCurrency { valueInCents currency }
      order { frequency }
      fromAccount { emails }
    }
  }
}
"""


class FetchError(Exception):
    """The platform did not answer as it should; the text says how."""


class _Straight(HTTPRedirectHandler):
    """No redirects: the token is for one address only."""

    def redirect_request(self, *_):
        """Leave it an error."""


_opener = build_opener(_Straight)


def contributions(settings: Mapping, since: datetime) -> list[Gift]:
    """All contributions since a moment, refunds left out. Raises FetchError, and then there are none."""
    gifts, offset, total = [], 0, 1
    while offset < total:
        answer = _ask(settings, {"since": since.isoformat(), "limit": PAGE, "offset": offset})
        try:
            found = answer["data"]["transactions"]
            total, nodes = found["totalCount"], found["nodes"]
            gifts += [gift for node in nodes if (gift := _gift(node)) is not None]
        except (KeyError, TypeError, ValueError) as error:
            raise FetchError(f"its answer is not understood ({error!r})") from error
        if not nodes:
            break  # fewer than it said
        offset += len(nodes)
    return gifts


def _ask(settings: Mapping, variables: dict) -> dict:
    variables["collective"] = settings["comicsdb.donations.collective"]
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "comicsdb"}
    if settings["comicsdb.donations.token"]:
        headers["Personal-Token"] = settings["comicsdb.donations.token"]
    body = json.dumps({"query": QUERY, "variables": variables}).encode()
    request = Request(settings["comicsdb.donations.url"], body, headers)  # noqa: S310  (http only, see settings)
    try:
        with _opener.open(request, timeout=TIMEOUT) as response:
            answer = json.loads(response.read(LARGEST))
    except HTTPError as error:
        with error:
            raise FetchError(str(error)) from error
    except (OSError, HTTPException) as error:
        raise FetchError(str(error)) from error
    except ValueError as error:
        raise FetchError("its answer is no JSON") from error
    if not isinstance(answer, dict) or answer.get("errors"):
        raise FetchError(f"it refuses: {json.dumps(answer)[:500]}")
    return answer


def _gift(node: Mapping) -> Gift | None:
    """A transaction as a gift; None for what was given back, and for what is not in dollars."""
    if node["isRefund"] or node["isRefunded"]:
        return None
    given, number = datetime.fromisoformat(node["createdAt"]), str(node["id"])
    if given.tzinfo is None or len(number) > LONGEST_ID:
        raise ValueError(number)
    amounts = [each for each in (node["amount"], node["amountInHostCurrency"]) if each is not None]
    cents = next((each["valueInCents"] for each in amounts if each["currency"] == CURRENCY), None)
    if cents is None:
        log.warning("Contribution %s is not in %s: ignored.", number, CURRENCY)
        return None
    frequency = ((node["order"] or {}).get("frequency") or "").lower()
    emails = (node["fromAccount"] or {}).get("emails") or [""]
    return Gift(
        given=given,
        transaction_id=number,
        email=printable(emails[0]).strip()[:LONGEST_EMAIL],
        amount=round(cents),
        frequency=frequency if frequency in FREQUENCIES else "",
    )
