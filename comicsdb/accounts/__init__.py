"""Accounts: sign-up, log-in, sessions, passwords, profiles, tokens and deletion.

API and site call the functions listed here with `request.account_context`. Rejected input raises
`InvalidError` by field, or one of the errors of `errors`, whose texts may be shown to people. Neither the
text of an answer nor its time reveals whether a mail address has an account.
"""

from comicsdb.accounts.context import AccountContext, of_request
from comicsdb.accounts.deletion import delete_account
from comicsdb.accounts.drafts import (
    SavedForm,
    SavedPicture,
    claim_picture_draft,
    find_form_draft,
    find_picture_draft,
    save_form_draft,
    save_picture_draft,
)
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
from comicsdb.accounts.feed_addresses import feed_addresses_of, make_feed_address, revoke_feed_address
from comicsdb.accounts.guard import Guard
from comicsdb.accounts.holdings import holdings, holdings_csv, holdings_json
from comicsdb.accounts.letters import SECURITY_TEXTS, security_facts
from comicsdb.accounts.login import (
    check_attempt,
    check_log_in_link,
    find_user,
    log_in,
    log_in_by_link,
    verified,
)
from comicsdb.accounts.passwords import from_settings as passwords_from_settings
from comicsdb.accounts.profile import (
    PICTURES,
    Updated,
    confirm_email,
    set_language,
    set_timezone,
    update_profile,
)
from comicsdb.accounts.recovery import (
    change_password,
    check_not_me,
    check_reset,
    request_reset,
    reset_password,
    take_back,
)
from comicsdb.accounts.rules import EMAIL_MAX, LABEL_MAX, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX
from comicsdb.accounts.second_factor import CONFIRM_FIELDS as CONFIRM_FIELDS
from comicsdb.accounts.second_factor import (
    add_passkey,
    add_totp,
    check_second_step,
    confirm,
    has_totp,
    is_confirmed,
    make_recovery_codes,
    new_totp,
    open_totp,
    passkey_user,
    passkeys_of,
    proof_options,
    recovery_codes_left,
    registration_options,
    remove_passkey,
    remove_totp,
)
from comicsdb.accounts.security_events import record_security_event, security_events
from comicsdb.accounts.sessions import (
    LIFETIME,
    begin_session,
    end_all_sessions,
    end_session,
    end_session_of,
    is_this,
    log_out_everywhere,
    renew_session,
    session_account,
    session_identity,
    sessions_of,
)
from comicsdb.accounts.signup import (
    activate,
    form_time,
    open_sign_up,
    question,
    resend_activation,
    sign_up,
    sign_up_settings,
)
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
from comicsdb.i18n import INTERFACE_LANGUAGES

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
    "LinkSpentError",
    "LogInFailedError",
    "NewPlaceError",
    "NewToken",
    "NotActivatedError",
    "PasskeyRefusedError",
    "SavedForm",
    "SavedPicture",
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
    "claim_picture_draft",
    "confirm",
    "confirm_email",
    "delete_account",
    "end_all_sessions",
    "end_session",
    "end_session_of",
    "feed_addresses_of",
    "find_form_draft",
    "find_picture_draft",
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
    "revoke_feed_address",
    "revoke_token",
    "save_form_draft",
    "save_picture_draft",
    "security_events",
    "security_facts",
    "session_account",
    "session_identity",
    "sessions_of",
    "set_language",
    "set_timezone",
    "shown_key",
    "sign_up",
    "sign_up_settings",
    "take_back",
    "tokens_of",
    "update_profile",
    "verified",
]


def includeme(config):
    """Add `request.account_context`, `request.passwords` and the guard against guessing."""
    passwords = passwords_from_settings(config.get_settings())
    config.registry["comicsdb.passwords"] = passwords
    config.add_request_method(lambda _request: passwords, "passwords", reify=True)
    config.registry["comicsdb.guard"] = Guard(config.registry["comicsdb.limiter"])
    config.add_request_method(of_request, "account_context", reify=True)
