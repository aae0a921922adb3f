"""Whether a mail domain is good for an account, asked of an external service if the settings name one.

The service is any that answers `GET` with a JSON object in which `block` or `disposable` is true for domains
that should be refused. The setting holds its whole address, with `{domain}` where the domain belongs.
"""

import json
import logging
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException

from comicsdb.accounts.rules import listed
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.ops.logs import OutageLog

log = logging.getLogger(__name__)
OUTAGE = OutageLog(log, logging.WARNING)

TIMEOUT = 3  # seconds; somebody is waiting
ANSWER_MAX = 65536  # bytes

REFUSED = _("Accounts cannot be made with addresses of this domain.")


def check_domain(settings: Mapping, email: str) -> None:
    """Raise InvalidError for the address of a domain that the service refuses, or if it fails and must not.

    To be called while no transaction is open.
    """
    domain = email.rpartition("@")[2]
    address = settings["comicsdb.signup.mail_check"]
    if not address or domain in listed("mail_providers"):
        return
    try:
        with urllib.request.urlopen(address.format(domain=domain), timeout=TIMEOUT) as answer:  # noqa: S310
            said = json.loads(answer.read(ANSWER_MAX))
        refused = said.get("block") is True or said.get("disposable") is True
    except (OSError, HTTPException, ValueError, LookupError, AttributeError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        OUTAGE.report(error, "The mail-domain service failed: %s", type(error).__name__)
        if settings["comicsdb.signup.mail_check_failure"] == "refuse":
            text = _("Your address cannot be checked at the moment. Please contact the administrators.")
            raise InvalidError({"email": [text]}) from error
        return
    if refused:
        raise InvalidError({"email": [REFUSED]})
