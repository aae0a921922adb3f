"""Actions of staff on accounts, the catalog and the site, each with an entry in the audit log."""

from comicsdb.admin.accounts import (
    DELETABLE,
    FIELDS,
    account_named,
    add_member,
    change_account,
    create_account,
    delete_account,
    drop_token,
    end_sessions,
    fixed_fields,
    may_see_names,
    remove_member,
    reset_second_factor,
    revoke_token,
    revoke_tokens,
    set_deletable,
    set_password,
)
from comicsdb.admin.catalog_objects import (
    add_universe,
    copy_credits,
    find,
    fix_start_year,
    merge_objects,
    move,
    rebuild_slugs,
    repair_anthology,
)
from comicsdb.admin.reviews import dismiss_reports, hide_review, restore_review
from comicsdb.admin.site import (
    change_announcement,
    change_poll,
    create_announcement,
    create_poll,
    delete_announcement,
    delete_poll,
    retry_mail,
    set_sign_ups,
)
from comicsdb.audit_log import actions, record
