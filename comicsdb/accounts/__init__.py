"""Accounts: sign-up, log-in, sessions, passwords, profiles, tokens and deletion.

API and site call the functions listed here with `request.account_context`. Rejected input raises
`InvalidError` by field, or one of the errors of `errors`, whose texts may be shown to people. Neither the
text of a response nor the time it takes reveals whether a mail address has an account.
"""

from comicsdb.accounts.context import AccountContext, request_context
from comicsdb.accounts.data_export import account_data, account_data_csv, account_data_json
from comicsdb.accounts.deletion import delete_account
from comicsdb.accounts.drafts import (
    DraftTooLargeError,
    FormTarget,
    SavedForm,
    SavedPicture,
    claim_picture_draft,
    discard_draft,
    drafts_of,
    find_draft,
    find_form_draft,
    find_picture_draft,
    new_draft_key,
    save_form_draft,
    save_picture_draft,
    store_draft,
)
from comicsdb.accounts.errors import (
    AccountError,
    BadLinkError,
    CodeRefusedError,
    FormAlreadySubmittedError,
    LinkUsedError,
    LogInFailedError,
    NewNetworkError,
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
from comicsdb.accounts.letters import SECURITY_TEXTS, security_facts
from comicsdb.accounts.login import (
    authenticate,
    check_attempt,
    check_log_in_link,
    find_user,
    log_in,
    log_in_by_link,
)
from comicsdb.accounts.passwords import from_settings as passwords_from_settings
from comicsdb.accounts.profile import (
    PICTURES,
    check_email_link,
    confirm_email,
    set_language,
    set_timezone,
    update_profile,
)
from comicsdb.accounts.recovery import (
    change_password,
    check_not_me,
    check_reset,
    reclaim_account,
    request_reset,
    reset_password,
)
from comicsdb.accounts.rules import EMAIL_MAX, USERNAME_MAX
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
    is_current_session,
    log_out_everywhere,
    renew_session,
    session_account,
    session_identity,
    sessions_of,
)
from comicsdb.accounts.signup import (
    activate,
    bot_question,
    check_activation,
    decrypt_sign_up_form,
    form_time,
    resend_activation,
    sign_up,
    sign_up_settings,
)
from comicsdb.accounts.tokens import (
    FOREVER,
    UNTIL,
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


def includeme(config):
    """Add `request.account_context`, `request.passwords` and the guard against guessing."""
    passwords = passwords_from_settings(config.get_settings())
    config.registry["comicsdb.passwords"] = passwords
    config.add_request_method(lambda _request: passwords, "passwords", reify=True)
    config.registry["comicsdb.guard"] = Guard(config.registry["comicsdb.limiter"])
    config.add_request_method(request_context, "account_context", reify=True)
