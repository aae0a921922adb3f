"""Second factors (authenticator apps, passkeys, recovery codes), and confirmation of a user's identity."""

import base64
import hmac
import logging
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson
import pyotp
from sqlalchemy import delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import constraints, rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.encryption import decrypt, derived_key, encrypt
from comicsdb.accounts.errors import CodeRefusedError, PasskeyRefusedError, TooManyFailuresError
from comicsdb.accounts.login import confirm_password
from comicsdb.accounts.passwords import digest, secrets_equal
from comicsdb.accounts.security_events import record_security_event
from comicsdb.catalog.errors import InvalidError, raise_errors
from comicsdb.i18n import _
from comicsdb.models import LoginSession, Passkey, RecoveryCode, SecurityEventKind, SpentChallenge, Totp, User

log = logging.getLogger(__name__)

RECOVERY_CODES = 10
CODE_BYTES = 10  # 80 random bits cannot be guessed, so a fast digest suffices

KEY_PURPOSE = "totp"
STEP = 30  # seconds
DRIFT = (-1, 0, 1)  # steps of tolerated clock drift
ENROLMENT = 3600  # seconds within which a new secret must be confirmed

CHALLENGE_LIFETIME = timedelta(minutes=10)  # lifetime of a WebAuthn challenge
PASSKEYS_MAX = 20
RESPONSE_LENGTH_MAX = 20_000  # characters of a browser's response
NONCE_BYTES, MOMENT_BYTES = 16, 8  # bytes of a challenge, before its signature
REGISTER, PROVE = "register", "prove"

CONFIRMED_FOR = timedelta(minutes=15)
PASSWORD, CODE, PASSKEY = CONFIRM_FIELDS = ("confirm_password", "confirm_code", "confirm_passkey")


def _refresh(session: Session, user: User) -> None:
    """Update the account's flag for second factors; removes the recovery codes if it has no factor left."""
    session.flush()
    has = or_(exists().where(Totp.user_id == user.id), exists().where(Passkey.user_id == user.id))
    user.second_factor = session.scalar(select(has))
    if not user.second_factor:
        session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    session.flush()


def make_recovery_codes(context: AccountContext, user: User) -> list[str]:
    """Create ten recovery codes, which replace earlier ones; only digests are stored."""
    session = context.session
    session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user.id))
    codes = [_new_recovery_code() for _ in range(RECOVERY_CODES)]
    now = clock.now()
    session.add_all(
        RecoveryCode(user_id=user.id, digest=_code_digest(user, code), created=now) for code in codes
    )
    record_security_event(context, user, SecurityEventKind.RECOVERY_CODES_MADE)
    context.log(log, "Recovery codes made", user.username)
    return codes


def recovery_codes_left(session: Session, user_id: int) -> int:
    """The number of unused recovery codes of an account."""
    left = select(func.count()).where(RecoveryCode.user_id == user_id, RecoveryCode.used.is_(None))
    return session.scalar(left)


def accepts_recovery_code(context: AccountContext, user: User, code: str) -> bool:
    """Whether a text is an unused recovery code of the account; marks it as used."""
    spent = (
        update(RecoveryCode)
        .where(
            RecoveryCode.user_id == user.id,
            RecoveryCode.digest == _code_digest(user, code),
            RecoveryCode.used.is_(None),
        )
        .values(used=clock.now())
    )
    if not context.session.execute(spent.execution_options(synchronize_session=False)).rowcount:
        return False
    left = recovery_codes_left(context.session, user.id)
    record_security_event(context, user, SecurityEventKind.RECOVERY_CODE_USED, number=left)
    context.log(log, f"Recovery code used, {left} are left", user.username)
    return True


def remove_second_factors(session: Session, user: User, since: datetime | None = None) -> None:
    """Remove passkeys, app and recovery codes of an account; with `since`, only those added from then on."""
    for model in (Passkey, Totp, RecoveryCode):
        gone = delete(model).where(model.user_id == user.id)
        session.execute(gone if since is None else gone.where(model.created >= since))
    _refresh(session, user)


def _new_recovery_code() -> str:
    text = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
    return "-".join(text[start : start + 4] for start in range(0, len(text), 4))


def _code_digest(user: User, code: str) -> str:
    plain = "".join(each for each in code.lower() if each.isalnum())
    return digest(f"{user.id} {plain}")


class NewTotp(NamedTuple):
    """A secret to be confirmed by its first code, and the data that the enrolment page shows."""

    secret: str
    address: str  # otpauth://, for the QR code
    sealed: str  # the secret, encrypted for the form; valid for this account, for one hour


def new_totp(settings: Mapping, user: User) -> NewTotp:
    """Create a secret for an account; `add_totp` stores it."""
    return _shown(settings, user, pyotp.random_base32())


def open_totp(settings: Mapping, user: User, sealed: str) -> NewTotp | None:
    """The secret of a submitted form; None if it is too old or belongs to another account."""
    text = decrypt(settings, KEY_PURPOSE, sealed, ENROLMENT)
    if text is None:
        return None
    owner, _colon, secret = text.partition(":")
    return _shown(settings, user, secret) if owner == str(user.id) else None


def _shown(settings: Mapping, user: User, secret: str) -> NewTotp:
    address = pyotp.TOTP(secret).provisioning_uri(name=user.username, issuer_name=settings["comicsdb.title"])
    return NewTotp(secret, address, encrypt(settings, KEY_PURPOSE, f"{user.id}:{secret}"))


def add_totp(context: AccountContext, user: User, new: NewTotp, code: str) -> None:
    """Add an authenticator app, confirmed by its first code; it replaces any earlier one.

    If the same app is confirmed again, recovery codes made since then are removed. Raises InvalidError for
    the field `code`.
    """
    step = _step_of(new.secret, code)
    if step is None:
        raise InvalidError(
            {"code": [_("This code is incorrect. Check that your phone's clock is right and try again.")]}
        )
    session = context.session
    session.execute(select(User.id).where(User.id == user.id).with_for_update(key_share=True))
    before = session.get(Totp, user.id, populate_existing=True)
    if before is not None:
        if decrypt(context.settings, KEY_PURPOSE, before.secret) == new.secret:
            # The form was submitted twice: nobody saw the recovery codes of the first response.
            unseen = delete(RecoveryCode).where(RecoveryCode.user_id == user.id)
            session.execute(unseen.where(RecoveryCode.created >= before.created))
        session.delete(before)
        session.flush()
    sealed = encrypt(context.settings, KEY_PURPOSE, new.secret)
    session.add(Totp(user_id=user.id, secret=sealed, last_step=step, created=clock.now()))
    _refresh(session, user)
    record_security_event(context, user, SecurityEventKind.TOTP_ADDED)
    context.log(log, "Authenticator app added", user.username)


def has_totp(session: Session, user_id: int) -> bool:
    """Whether an account uses an authenticator app."""
    return session.scalar(select(Totp.user_id).where(Totp.user_id == user_id)) is not None


def remove_totp(context: AccountContext, user: User) -> bool:
    """Remove the authenticator app of an account; returns False if there is none."""
    if not context.session.execute(delete(Totp).where(Totp.user_id == user.id)).rowcount:
        return False
    _refresh(context.session, user)
    record_security_event(context, user, SecurityEventKind.TOTP_REMOVED)
    context.log(log, "Authenticator app removed", user.username)
    return True


def accepts_code(context: AccountContext, user: User, code: str) -> bool:
    """Whether a code of the account's app is valid now; codes are accepted once and in order."""
    found = context.session.get(Totp, user.id)
    if found is None:
        return False
    secret = decrypt(context.settings, KEY_PURPOSE, found.secret)
    if secret is None:
        context.log(log, "The code of an app cannot be checked: comicsdb.secret has changed", user.username)
        return False
    step = _step_of(secret, code)
    return step is not None and _use_step(context.session, user, step)


def _use_step(session: Session, user: User, step: int) -> bool:
    latest = int(clock.latest().timestamp()) // STEP
    is_new = or_(Totp.last_step < step, Totp.last_step > latest)  # used while the clock was wrong
    spent = update(Totp).where(Totp.user_id == user.id, is_new).values(last_step=step)
    return session.execute(spent.execution_options(synchronize_session=False)).rowcount == 1


def _step_of(secret: str, code: str) -> int | None:
    """The time step of a code; None if the code is wrong."""
    code = "".join(code.split())
    if not (code.isascii() and code.isdigit()):
        return None
    now, totp = int(clock.now().timestamp()) // STEP, pyotp.TOTP(secret)
    return next((now + off for off in DRIFT if secrets_equal(totp.generate_otp(now + off), code)), None)


def _webauthn() -> ModuleType:
    """The library, imported on first use: it takes 15 MB and 0.1 s, and most processes never need it."""
    import webauthn  # noqa: PLC0415

    return webauthn


def passkeys_of(session: Session, user_id: int) -> list[Passkey]:
    """The passkeys of an account, newest first."""
    newest = (Passkey.created.desc(), Passkey.id.desc())
    return list(session.scalars(select(Passkey).where(Passkey.user_id == user_id).order_by(*newest)))


def registration_options(context: AccountContext, user: User, browser_token: str) -> str:
    """The WebAuthn registration options as JSON; `browser_token` is a secret of this browser."""
    webauthn = _webauthn()
    structs = webauthn.helpers.structs
    known = [
        structs.PublicKeyCredentialDescriptor(id=each.credential_id)
        for each in passkeys_of(context.session, user.id)
    ]
    options = webauthn.generate_registration_options(
        rp_id=_host(context.settings),
        rp_name=context.settings["comicsdb.title"],
        user_id=str(user.id).encode(),
        user_name=user.username,
        challenge=_challenge(context.settings, REGISTER, browser_token),
        exclude_credentials=known,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,  # PIN or fingerprint: two factors
        ),
    )
    return webauthn.options_to_json(options)


def add_passkey(context: AccountContext, user: User, answer: str, name: str, browser_token: str) -> Passkey:
    """Verify and store a passkey that a browser created.

    Raises InvalidError for `name`, PasskeyRefusedError.
    """
    name = " ".join(name.split())
    raise_errors({"name": rules.label_problems(name)})
    if len(passkeys_of(context.session, user.id)) >= PASSKEYS_MAX:
        raise InvalidError(
            {"name": [_("You have reached the maximum number of passkeys: remove one first.")]}
        )
    credential = _credential(answer)
    challenge = _use_challenge(context, REGISTER, credential, browser_token)
    webauthn = _webauthn()
    try:
        made = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=_host(context.settings),
            expected_origin=_origin(context.settings),
            require_user_verification=True,
        )
    except (webauthn.helpers.exceptions.WebAuthnException, ValueError, KeyError, TypeError) as error:
        raise PasskeyRefusedError from error
    passkey = Passkey(
        user_id=user.id,
        credential_id=made.credential_id,
        public_key=made.credential_public_key,
        sign_count=made.sign_count,
        name=name,
        created=clock.now(),
    )
    # It may be registered already, for this or another account.
    constraints.add(context.session, passkey, {"uq_passkey_credential_id": PasskeyRefusedError()})
    _refresh(context.session, user)
    record_security_event(context, user, SecurityEventKind.PASSKEY_ADDED, name=name)
    context.log(log, "Passkey added", user.username)
    return passkey


def remove_passkey(context: AccountContext, user: User, passkey_id: int) -> bool:
    """Remove a passkey of an account; returns False if the account has no such passkey."""
    passkey = context.session.get(Passkey, passkey_id)
    if passkey is None or passkey.user_id != user.id:
        return False
    name = passkey.name
    context.session.delete(passkey)
    _refresh(context.session, user)
    record_security_event(context, user, SecurityEventKind.PASSKEY_REMOVED, name=name)
    context.log(log, "Passkey removed", user.username)
    return True


def proof_options(settings: Mapping, browser_token: str) -> str:
    """The WebAuthn authentication options for any passkey of this site, as JSON."""
    webauthn = _webauthn()
    options = webauthn.generate_authentication_options(
        rp_id=_host(settings),
        challenge=_challenge(settings, PROVE, browser_token),
        user_verification=webauthn.helpers.structs.UserVerificationRequirement.REQUIRED,
    )
    return webauthn.options_to_json(options)


def passkey_user(context: AccountContext, answer: str, browser_token: str) -> User:
    """Verify a browser's response; returns the active account of its passkey. Raises PasskeyRefusedError."""
    credential = _credential(answer)
    try:
        raw = _decoded(credential["rawId"])
    except (KeyError, TypeError, ValueError) as error:
        raise PasskeyRefusedError from error
    challenge = _use_challenge(context, PROVE, credential, browser_token)
    passkey = context.session.scalar(
        select(Passkey)
        .where(Passkey.credential_id == raw)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    user = context.session.get(User, passkey.user_id) if passkey is not None else None
    if user is None or not user.is_active:
        raise PasskeyRefusedError
    webauthn = _webauthn()
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
    except (webauthn.helpers.exceptions.WebAuthnException, ValueError, KeyError, TypeError) as error:
        context.log(log, "Passkey refused", user.username, logging.WARNING)
        raise PasskeyRefusedError from error
    passkey.sign_count, passkey.last_used = proved.new_sign_count, clock.now()
    context.session.flush()
    return user


def _credential(answer: str) -> dict:
    """Parse a browser's response. Raises PasskeyRefusedError unless it is a JSON object."""
    try:
        credential = orjson.loads(answer) if len(answer) <= RESPONSE_LENGTH_MAX else None
    except orjson.JSONDecodeError as error:
        raise PasskeyRefusedError from error
    if not isinstance(credential, dict):
        raise PasskeyRefusedError
    return credential


# A challenge consists of random bytes, its expiry, and a signature over these, its purpose and a secret of
# the browser. So nothing is stored until it is answered, and then only to ensure that it is accepted once.


def _challenge(settings: Mapping, purpose: str, browser_token: str) -> bytes:
    ends = int((clock.now() + CHALLENGE_LIFETIME).timestamp())
    body = secrets.token_bytes(NONCE_BYTES) + ends.to_bytes(MOMENT_BYTES)
    return body + _signature(settings, purpose, browser_token, body)


def _signature(settings: Mapping, purpose: str, browser_token: str, body: bytes) -> bytes:
    key = derived_key(settings, "passkeys")
    return hmac.digest(key, b"\0".join((purpose.encode(), browser_token.encode(), body)), "sha256")


def _use_challenge(context: AccountContext, purpose: str, credential: dict, browser_token: str) -> bytes:
    """The answered challenge; raises unless it is this browser's, unexpired and not answered before."""
    try:
        challenge = _decoded(orjson.loads(_decoded(credential["response"]["clientDataJSON"]))["challenge"])
        body = challenge[: NONCE_BYTES + MOMENT_BYTES]
        ends = datetime.fromtimestamp(int.from_bytes(body[NONCE_BYTES:]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise PasskeyRefusedError from error
    signature = _signature(context.settings, purpose, browser_token, body)
    is_current = clock.now() < ends <= clock.latest() + CHALLENGE_LIFETIME
    if not hmac.compare_digest(challenge, body + signature) or not is_current:
        raise PasskeyRefusedError
    spent = SpentChallenge(digest=digest(challenge.hex()), expires=ends)
    constraints.add(context.session, spent, {"pk_spent_challenge": PasskeyRefusedError()})
    return challenge


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _origin(settings: Mapping) -> str:
    parts = urlsplit(settings["comicsdb.base_url"])
    return f"{parts.scheme}://{parts.netloc}"


def _host(settings: Mapping) -> str:
    return urlsplit(settings["comicsdb.base_url"]).hostname or ""


def check_second_step(context: AccountContext, user: User, form: Mapping, browser_token: str) -> None:
    """Verify a code of the account's app, a recovery code, or the response of a passkey.

    Fields: `confirm_code` or `confirm_passkey`. Raises CodeRefusedError, PasskeyRefusedError and
    TooManyFailuresError.
    """
    answer = rules.secret_of(form, PASSKEY)
    if answer:
        if passkey_user(context, answer, browser_token).id != user.id:
            raise PasskeyRefusedError
        return
    _check_code(context, user, rules.text_of(form, CODE), recovery=True)


def confirm(context: AccountContext, user: User, identifier: str, form: Mapping, browser_token: str) -> None:
    """Confirm a session by its owner's password, code or passkey.

    Fields: one of CONFIRM_FIELDS. Raises like `check_second_step`, and InvalidError for the field
    `confirm_password`.
    """
    password = rules.secret_of(form, PASSWORD)
    if password:
        try:
            confirm_password(context, user, password)
        except InvalidError as error:
            raise InvalidError({PASSWORD: error.errors["password"]}) from error
    elif rules.secret_of(form, PASSKEY):
        check_second_step(context, user, form, browser_token)
    elif rules.text_of(form, CODE):
        _check_code(context, user, rules.text_of(form, CODE), recovery=False)
    else:
        raise InvalidError({PASSWORD: [_("Enter your password.")]})
    now = update(LoginSession).where(LoginSession.digest == digest(identifier)).values(confirmed=clock.now())
    context.session.execute(now.execution_options(synchronize_session=False))
    context.log(log, "Confirmed who it is", user.username)


def is_confirmed(session: Session, identifier: str) -> bool:
    """Whether a session was confirmed recently, by logging in or by `confirm`."""
    now = clock.now()
    found = select(LoginSession.id).where(
        LoginSession.digest == digest(identifier),
        LoginSession.confirmed > now - CONFIRMED_FOR,
        LoginSession.confirmed < now + CONFIRMED_FOR,  # else it was stored while the clock was wrong
    )
    return session.scalar(found) is not None


def _check_code(context: AccountContext, user: User, code: str, *, recovery: bool) -> None:
    """Raise CodeRefusedError for a wrong code, and TooManyFailuresError after many, right or wrong."""
    try:
        context.guard.count_code_attempt(user.id)
    except TooManyFailuresError:
        context.log(log, "Code refused after too many", user.username, logging.WARNING)
        raise
    if accepts_code(context, user, code) or (recovery and accepts_recovery_code(context, user, code)):
        return
    context.log(log, "Code refused", user.username, logging.WARNING)
    raise CodeRefusedError
