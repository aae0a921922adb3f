"""Accounts: sign-up, log-in, sessions, passwords, profiles, tokens and their end (model.md 4, web.md 10).

Surfaces call the functions listed here, with `request.visit`. They talk to people; nothing here does. What is
refused is raised: `Invalid` by field, and the errors of `errors`, whose texts are fit to be shown. No answer
tells whether a mail address has an account, by its text or by the time it takes.
"""

from comicsdb.accounts.bots import form_time, question
from comicsdb.accounts.deletion import delete_account
from comicsdb.accounts.errors import (
    AccountError,
    BadLink,
    FormSpent,
    LinkSpent,
    LogInFailed,
    SignUpsClosed,
    TooManyFailures,
    TooManyMails,
    TooManySignUps,
)
from comicsdb.accounts.guard import Guard
from comicsdb.accounts.holdings import holdings, holdings_csv, holdings_json
from comicsdb.accounts.login import find_user, log_in, verified
from comicsdb.accounts.new_password import change_password, check_reset, request_reset, reset_password
from comicsdb.accounts.profile import Updated, confirm_email, set_language, update_profile
from comicsdb.accounts.rules import LABEL_MAX, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX
from comicsdb.accounts.sessions import (
    LIFETIME,
    begin_session,
    end_all_sessions,
    end_session,
    end_session_of,
    is_this,
    renew_session,
    session_user,
    sessions_of,
)
from comicsdb.accounts.signup import activate, resend_activation, sign_up, sign_up_settings
from comicsdb.accounts.tokens import (
    NewToken,
    generate_token,
    new_form_key,
    revoke_all_tokens,
    revoke_token,
    shown_key,
    tokens_of,
)
from comicsdb.accounts.visit import Visit, of_request
from comicsdb.i18n import INTERFACE_LANGUAGES
from comicsdb.mail.letter import printable

__all__ = [
    "INTERFACE_LANGUAGES",
    "LABEL_MAX",
    "LIFETIME",
    "PASSWORD_MAX",
    "PASSWORD_MIN",
    "USERNAME_MAX",
    "AccountError",
    "BadLink",
    "FormSpent",
    "Guard",
    "LinkSpent",
    "LogInFailed",
    "NewToken",
    "SignUpsClosed",
    "TooManyFailures",
    "TooManyMails",
    "TooManySignUps",
    "Updated",
    "Visit",
    "activate",
    "begin_session",
    "change_password",
    "check_reset",
    "confirm_email",
    "delete_account",
    "end_all_sessions",
    "end_session",
    "end_session_of",
    "find_user",
    "form_time",
    "generate_token",
    "holdings",
    "holdings_csv",
    "holdings_json",
    "is_this",
    "log_in",
    "new_form_key",
    "printable",
    "question",
    "renew_session",
    "request_reset",
    "resend_activation",
    "reset_password",
    "revoke_all_tokens",
    "revoke_token",
    "session_user",
    "sessions_of",
    "set_language",
    "shown_key",
    "sign_up",
    "sign_up_settings",
    "tokens_of",
    "update_profile",
    "verified",
]


def includeme(config):
    """`request.visit`, and the guard of the site."""
    config.registry["comicsdb.guard"] = Guard(config.registry["comicsdb.limiter"])
    config.add_request_method(of_request, "visit", reify=True)
