"""What the staff does to accounts and to the site; every act is written to the audit log."""

from comicsdb.admin.accounts import (
    FIELDS,
    account_named,
    add_member,
    change_account,
    create_account,
    delete_account,
    drop_token,
    end_sessions,
    fixed_fields,
    remove_member,
    reset_second_factor,
    revoke_token,
    revoke_tokens,
    set_password,
)
from comicsdb.admin.announcements import (
    ANNOUNCEMENT_FIELDS,
    change_announcement,
    create_announcement,
    delete_announcement,
)
from comicsdb.admin.audit_log import Actor, actions, record
from comicsdb.admin.catalogue import (
    add_universe,
    copy_credits,
    find,
    fix_start_year,
    merge_objects,
    move,
    rebuild_slugs,
    repair_anthology,
)
from comicsdb.admin.groups import DELETABLE, set_deletable
from comicsdb.admin.polls import POLL_FIELDS, change_poll, create_poll, delete_poll
from comicsdb.admin.site import send_again, set_sign_ups

__all__ = [
    "ANNOUNCEMENT_FIELDS",
    "DELETABLE",
    "FIELDS",
    "POLL_FIELDS",
    "Actor",
    "account_named",
    "actions",
    "add_member",
    "add_universe",
    "change_account",
    "change_announcement",
    "change_poll",
    "copy_credits",
    "create_account",
    "create_announcement",
    "create_poll",
    "delete_account",
    "delete_announcement",
    "delete_poll",
    "drop_token",
    "end_sessions",
    "find",
    "fix_start_year",
    "fixed_fields",
    "merge_objects",
    "move",
    "rebuild_slugs",
    "record",
    "remove_member",
    "repair_anthology",
    "reset_second_factor",
    "revoke_token",
    "revoke_tokens",
    "send_again",
    "set_deletable",
    "set_password",
    "set_sign_ups",
]
