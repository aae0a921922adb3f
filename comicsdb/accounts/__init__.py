"""Accounts: sign-up, log-in, sessions, passwords, profiles, tokens and their end.

Surfaces call the functions listed here, with `request.account_context`. They talk to people; nothing here
does. What is refused is raised: `InvalidError` by field, and the errors of `errors`, whose texts are fit to
be shown. No answer tells whether a mail address has an account, by its text or by the time it takes.
"""

from comicsdb.accounts.bots import form_time, open_sign_up, question
from comicsdb.accounts.confirmation import FIELDS as CONFIRM_FIELDS
from comicsdb.accounts.confirmation import check_second_step, confirm, is_confirmed
from comicsdb.accounts.context import AccountContext, of_request
from comicsdb.accounts.deletion import delete_account
from comicsdb.accounts.errors import (
    AccountError,
    BadLinkError,
    CodeRefusedError,
    FormSpentError,
    LinkSpentError,
    LogInFailedError,
    NewPlaceError,
    NotActivatedError,
    PasskeyRefusedError,
    SignUpsClosedError,
    TooFastError,
    TooManyFailuresError,
    TooManyMailsError,
    TooManySignUpsError,
)
from comicsdb.accounts.feed_addresses import make_feed_address
from comicsdb.accounts.form_drafts import SavedForm, find_form_draft, keep_form_draft
from comicsdb.accounts.guard import Guard
from comicsdb.accounts.holdings import holdings, holdings_csv, holdings_json
from comicsdb.accounts.login import find_user, log_in, verified
from comicsdb.accounts.new_password import change_password, check_reset, request_reset, reset_password
from comicsdb.accounts.new_place import check_attempt, check_log_in_link, log_in_by_link
from comicsdb.accounts.not_me import check_not_me, take_back
from comicsdb.accounts.passkeys import (
    add_passkey,
    passkey_user,
    passkeys_of,
    proof_options,
    registration_options,
    remove_passkey,
)
from comicsdb.accounts.picture_drafts import KeptPicture, find_picture, keep_picture, take_picture
from comicsdb.accounts.profile import (
    PICTURES,
    Updated,
    confirm_email,
    set_language,
    set_timezone,
    update_profile,
)
from comicsdb.accounts.rules import EMAIL_MAX, LABEL_MAX, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX
from comicsdb.accounts.second_factor import make_recovery_codes, recovery_codes_left
from comicsdb.accounts.security_events import record_security_event, security_events
from comicsdb.accounts.security_letters import SECURITY_TEXTS, security_facts
from comicsdb.accounts.sessions import (
    LIFETIME,
    begin_session,
    end_all_sessions,
    end_session,
    end_session_of,
    is_this,
    log_out_everywhere,
    renew_session,
    session_user,
    sessions_of,
)
from comicsdb.accounts.signup import activate, resend_activation, sign_up, sign_up_settings
from comicsdb.accounts.tokens import (
    FOREVER,
    LIFETIMES,
    UNTIL,
    NewToken,
    generate_token,
    is_expired,
    is_malformed,
    new_form_key,
    revoke_all_tokens,
    revoke_token,
    shown_key,
    tokens_of,
)
from comicsdb.accounts.totp import add_totp, has_totp, new_totp, open_totp, remove_totp
from comicsdb.i18n import INTERFACE_LANGUAGES
from comicsdb.mail.letter import printable

__all__ = [
    "CONFIRM_FIELDS",
    "EMAIL_MAX",
    "FOREVER",
    "INTERFACE_LANGUAGES",
    "LABEL_MAX",
    "LIFETIME",
    "LIFETIMES",
    "PASSWORD_MAX",
    "PASSWORD_MIN",
    "PICTURES",
    "SECURITY_TEXTS",
    "UNTIL",
    "USERNAME_MAX",
    "AccountContext",
    "AccountError",
    "BadLinkError",
    "CodeRefusedError",
    "FormSpentError",
    "Guard",
    "KeptPicture",
    "LinkSpentError",
    "LogInFailedError",
    "NewPlaceError",
    "NewToken",
    "NotActivatedError",
    "PasskeyRefusedError",
    "SavedForm",
    "SignUpsClosedError",
    "TooFastError",
    "TooManyFailuresError",
    "TooManyMailsError",
    "TooManySignUpsError",
    "Updated",
    "activate",
    "add_passkey",
    "add_totp",
    "begin_session",
    "change_password",
    "check_attempt",
    "check_log_in_link",
    "check_not_me",
    "check_reset",
    "check_second_step",
    "confirm",
    "confirm_email",
    "delete_account",
    "end_all_sessions",
    "end_session",
    "end_session_of",
    "find_form_draft",
    "find_picture",
    "find_user",
    "form_time",
    "generate_token",
    "has_totp",
    "holdings",
    "holdings_csv",
    "holdings_json",
    "is_confirmed",
    "is_expired",
    "is_malformed",
    "is_this",
    "keep_form_draft",
    "keep_picture",
    "log_in",
    "log_in_by_link",
    "log_out_everywhere",
    "make_feed_address",
    "make_recovery_codes",
    "new_form_key",
    "new_totp",
    "open_sign_up",
    "open_totp",
    "passkey_user",
    "passkeys_of",
    "printable",
    "proof_options",
    "question",
    "record_security_event",
    "recovery_codes_left",
    "registration_options",
    "remove_passkey",
    "remove_totp",
    "renew_session",
    "request_reset",
    "resend_activation",
    "reset_password",
    "revoke_all_tokens",
    "revoke_token",
    "security_events",
    "security_facts",
    "session_user",
    "sessions_of",
    "set_language",
    "set_timezone",
    "shown_key",
    "sign_up",
    "sign_up_settings",
    "take_back",
    "take_picture",
    "tokens_of",
    "update_profile",
    "verified",
]


def includeme(config):
    """`request.account_context`, and the guard of the site."""
    config.registry["comicsdb.guard"] = Guard(config.registry["comicsdb.limiter"])
    config.add_request_method(of_request, "account_context", reify=True)
