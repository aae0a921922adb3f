"""Passkeys (WebAuthn): several for an account, each with a name; they log in without a user name."""

import base64
import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import orjson
import webauthn
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from webauthn.helpers import options_to_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from comicsdb import clock
from comicsdb.accounts import rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.errors import PasskeyRefusedError
from comicsdb.accounts.passwords import digest
from comicsdb.accounts.second_factor import refresh
from comicsdb.accounts.security_events import record_security_event
from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.models import Passkey, SecurityEventKind, SpentChallenge, User

log = logging.getLogger(__name__)

NAME = "comicsdb"
LIFETIME = timedelta(minutes=10)  # of a challenge
PASSKEYS_MOST = 20
TEXT_MOST = 20_000  # characters of what a browser answers
NONCE, MOMENT = 16, 8  # bytes of a challenge, before its signature
REGISTER, PROVE = "register", "prove"
REQUIRED = UserVerificationRequirement.REQUIRED  # by PIN or finger: a passkey alone is two factors


def passkeys_of(session: Session, user_id: int) -> list[Passkey]:
    """The passkeys of an account, the newest first."""
    newest = (Passkey.created.desc(), Passkey.id.desc())
    return list(session.scalars(select(Passkey).where(Passkey.user_id == user_id).order_by(*newest)))


def registration_options(context: AccountContext, user: User, browser_token: str) -> str:
    """What a browser is asked to make a passkey of, as JSON; `browser_token` is a secret of this browser."""
    known = [
        PublicKeyCredentialDescriptor(id=each.credential_id) for each in passkeys_of(context.session, user.id)
    ]
    options = webauthn.generate_registration_options(
        rp_id=_host(context.settings),
        rp_name=NAME,
        user_id=str(user.id).encode(),
        user_name=user.username,
        challenge=_challenge(context.settings, REGISTER, browser_token),
        exclude_credentials=known,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=REQUIRED
        ),
    )
    return options_to_json(options)


def add_passkey(context: AccountContext, user: User, answer: str, name: str, browser_token: str) -> Passkey:
    """Store the passkey that a browser made, under a name.

    Raises InvalidError for `name`, PasskeyRefusedError.
    """
    name = " ".join(name.split())
    problems = rules.label_problems(name)
    if problems:
        raise InvalidError({"name": problems})
    if len(passkeys_of(context.session, user.id)) >= PASSKEYS_MOST:
        raise InvalidError({"name": [_("You have as many passkeys as there may be: remove one first.")]})
    credential = _read(answer)
    challenge = _spend(context, REGISTER, credential, browser_token)
    try:
        made = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=_host(context.settings),
            expected_origin=_origin(context.settings),
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise PasskeyRefusedError from error
    passkey = Passkey(
        user_id=user.id,
        credential_id=made.credential_id,
        public_key=made.credential_public_key,
        sign_count=made.sign_count,
        name=name,
        created=clock.now(),
    )
    try:
        with context.session.begin_nested():
            context.session.add(passkey)
            context.session.flush()
    except IntegrityError as error:  # it is registered already, here or for another account
        raise PasskeyRefusedError from error
    refresh(context.session, user)
    record_security_event(context, user, SecurityEventKind.PASSKEY_ADDED, name=name)
    context.log(log, "Passkey added", user.username)
    return passkey


def remove_passkey(context: AccountContext, user: User, passkey_id: int) -> bool:
    """Remove a passkey of an account; False where the account has no such passkey."""
    passkey = context.session.get(Passkey, passkey_id)
    if passkey is None or passkey.user_id != user.id:
        return False
    name = passkey.name
    context.session.delete(passkey)
    refresh(context.session, user)
    record_security_event(context, user, SecurityEventKind.PASSKEY_REMOVED, name=name)
    context.log(log, "Passkey removed", user.username)
    return True


def proof_options(settings: Mapping, browser_token: str) -> str:
    """What a browser is asked to prove by any passkey of this site, as JSON."""
    options = webauthn.generate_authentication_options(
        rp_id=_host(settings),
        challenge=_challenge(settings, PROVE, browser_token),
        user_verification=REQUIRED,
    )
    return options_to_json(options)


def passkey_user(context: AccountContext, answer: str, browser_token: str) -> User:
    """The active account that a browser has proved by a passkey. Raises PasskeyRefusedError."""
    credential = _read(answer)
    try:
        raw = _bytes(credential["rawId"])
    except (KeyError, TypeError, ValueError) as error:
        raise PasskeyRefusedError from error
    challenge = _spend(context, PROVE, credential, browser_token)
    passkey = context.session.scalar(
        select(Passkey)
        .where(Passkey.credential_id == raw)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    user = context.session.get(User, passkey.user_id) if passkey is not None else None
    if user is None or not user.is_active:
        raise PasskeyRefusedError
    try:
        proved = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=_host(context.settings),
            expected_origin=_origin(context.settings),
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        context.log(log, "Passkey refused", user.username, logging.WARNING)
        raise PasskeyRefusedError from error
    passkey.sign_count, passkey.last_used = proved.new_sign_count, clock.now()
    context.session.flush()
    return user


def _read(answer: str) -> dict:
    """What a browser answered. Raises PasskeyRefusedError for what is no JSON object."""
    try:
        credential = orjson.loads(answer) if len(answer) <= TEXT_MOST else None
    except orjson.JSONDecodeError as error:
        raise PasskeyRefusedError from error
    if not isinstance(credential, dict):
        raise PasskeyRefusedError
    return credential


# A challenge carries its own proof: random bytes, when it ends, and a signature over these, its purpose and a
# secret of the browser that asked. So nothing is stored until it is answered, which counts only once.


def _challenge(settings: Mapping, purpose: str, browser_token: str) -> bytes:
    ends = int((clock.now() + LIFETIME).timestamp())
    body = secrets.token_bytes(NONCE) + ends.to_bytes(MOMENT)
    return body + _signature(settings, purpose, browser_token, body)


def _signature(settings: Mapping, purpose: str, browser_token: str, body: bytes) -> bytes:
    key = hashlib.sha256(b"passkeys:" + settings["comicsdb.secret"].encode()).digest()
    return hmac.digest(key, b"\0".join((purpose.encode(), browser_token.encode(), body)), "sha256")


def _spend(context: AccountContext, purpose: str, credential: dict, browser_token: str) -> bytes:
    """The challenge that is answered: ours, of this browser, in time, and not answered before."""
    try:
        challenge = _bytes(orjson.loads(_bytes(credential["response"]["clientDataJSON"]))["challenge"])
        body = challenge[: NONCE + MOMENT]
        ends = datetime.fromtimestamp(int.from_bytes(body[NONCE:]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise PasskeyRefusedError from error
    signature = _signature(context.settings, purpose, browser_token, body)
    if not hmac.compare_digest(challenge, body + signature) or ends <= clock.now():
        raise PasskeyRefusedError
    try:
        with context.session.begin_nested():
            context.session.add(SpentChallenge(digest=digest(challenge.hex()), expires=ends))
            context.session.flush()
    except IntegrityError as error:
        raise PasskeyRefusedError from error
    return challenge


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _origin(settings: Mapping) -> str:
    parts = urlsplit(settings["comicsdb.base_url"])
    return f"{parts.scheme}://{parts.netloc}"


def _host(settings: Mapping) -> str:
    return urlsplit(settings["comicsdb.base_url"]).hostname or ""
