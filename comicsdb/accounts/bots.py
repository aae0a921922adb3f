"""Who fills in the sign-up form: our own check for programs, without scripts or another host."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping

from cryptography.fernet import Fernet, InvalidToken

from comicsdb import clock
from comicsdb.accounts.errors import TooFastError
from comicsdb.accounts.passwords import same
from comicsdb.accounts.rules import text_of
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _

TRAP = "homepage"  # a field that people do not see, and programs like to fill in
OLDEST = 24 * 3600  # seconds for which a form can be sent


def form_time(settings: Mapping) -> str:
    """When a form was made, signed: the value of its hidden field `form_time`."""
    moment = str(int(clock.now().timestamp()))
    return f"{moment}.{_signature(settings, moment)}"


def question(settings: Mapping) -> str:
    """A question that only people answer, if the settings have one; the field is `answer`."""
    return settings["comicsdb.signup.question"] if settings["comicsdb.signup.answer"] else ""


def refuse_bots(settings: Mapping, form: Mapping) -> None:
    """Raise InvalidError if a program has filled in the form, with a text that helps people out."""
    if text_of(form, TRAP):
        raise InvalidError({"__all__": [_("Leave the field “Homepage” empty, it is a trap for programs.")]})
    moment, _dot, signature = text_of(form, "form_time").partition(".")
    if not moment.isascii() or not same(signature, _signature(settings, moment)):
        raise InvalidError({"__all__": [_("The form was not complete. Please send it again.")]})
    age = clock.now().timestamp() - int(moment)
    if age > OLDEST:
        raise InvalidError({"__all__": [_("The form was too old. Please send it again.")]})
    if question(settings) and not _answered(settings, text_of(form, "answer")):
        raise InvalidError({"answer": [_("This is not the answer.")]})


def refuse_haste(settings: Mapping, form: Mapping) -> None:
    """Raise TooFastError for a form that was sent faster than people type: they send it once more."""
    age = clock.now().timestamp() - int(text_of(form, "form_time").partition(".")[0])
    if age < settings["comicsdb.signup.fastest"]:
        texts = {name: value for name, value in form.items() if isinstance(value, str)}
        raise TooFastError(_fernet(settings).encrypt(json.dumps(texts).encode()).decode())


def open_sign_up(settings: Mapping, sealed: str) -> dict[str, str]:
    """The form of a TooFastError; empty where it is none of ours, or too old."""
    try:
        return json.loads(_fernet(settings).decrypt(sealed.encode(), ttl=OLDEST))
    except (InvalidToken, ValueError):
        return {}


def _fernet(settings: Mapping) -> Fernet:
    key = hashlib.sha256(b"sign-up:" + settings["comicsdb.secret"].encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def _answered(settings: Mapping, answer: str) -> bool:
    return answer.casefold() == settings["comicsdb.signup.answer"].strip().casefold()


def _signature(settings: Mapping, moment: str) -> str:
    key = hashlib.sha256(b"form_time:" + settings["comicsdb.secret"].encode()).digest()
    return hmac.new(key, moment.encode(), hashlib.sha256).hexdigest()
