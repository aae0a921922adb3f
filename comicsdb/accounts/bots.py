"""Who fills in the sign-up form: our own check for programs, without scripts or another host (web.md 10)."""

import hashlib
import hmac
from collections.abc import Mapping

from comicsdb import clock
from comicsdb.accounts.rules import text_of
from comicsdb.catalog.errors import Invalid
from comicsdb.i18n import _
from comicsdb.passwords import same

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
    """Raise Invalid if a program has filled in the form, with a text that helps people out."""
    if text_of(form, TRAP):
        raise Invalid({"__all__": [_("Leave the field “Homepage” empty, it is a trap for programs.")]})
    moment, _dot, signature = text_of(form, "form_time").partition(".")
    if not moment.isascii() or not same(signature, _signature(settings, moment)):
        raise Invalid({"__all__": [_("The form was not complete. Please send it again.")]})
    age = clock.now().timestamp() - int(moment)
    if age > OLDEST:
        raise Invalid({"__all__": [_("The form was too old. Please send it again.")]})
    if age < settings["comicsdb.signup.fastest"]:
        raise Invalid({"__all__": [_("That was faster than people type. Please send it again.")]})
    if question(settings) and not _answered(settings, text_of(form, "answer")):
        raise Invalid({"answer": [_("This is not the answer.")]})


def _answered(settings: Mapping, answer: str) -> bool:
    return answer.casefold() == settings["comicsdb.signup.answer"].strip().casefold()


def _signature(settings: Mapping, moment: str) -> str:
    key = hashlib.sha256(b"form_time:" + settings["comicsdb.secret"].encode()).digest()
    return hmac.new(key, moment.encode(), hashlib.sha256).hexdigest()
