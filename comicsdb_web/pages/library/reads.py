"""The button of an issue that says whether the reader has read it."""

from comicsdb import clock
from comicsdb.i18n import translate
from comicsdb.library import reads
from comicsdb.models import Issue
from comicsdb.security import Permission
from comicsdb_web.forms import lookup
from comicsdb_web.forms.fields import text_of
from comicsdb_web.http.fragments import fragment
from comicsdb_web.pages.library.collection import done, private
from comicsdb_web.pages.library.pull_list import OFF, ON
from comicsdb_web.rendering.locales import _

READ = _("${label} is marked as read.")
UNREAD = _("The last reading date of ${label} was removed.")


def toggle(request):
    """Mark an unread issue as read now, or remove its last read, by the field `on`; else change nothing."""
    issue = request.catalog.by_slug(Issue, request.matchdict["slug"])
    session, user_id, wanted = request.dbsession, request.identity.user_id, text_of(request.POST, "on")
    noted = reads.of_issue(session, user_id, issue.id)
    if wanted == ON and not noted:
        reads.mark(session, user_id, [issue.id], clock.now())
    elif wanted == OFF and noted:
        reads.remove(session, user_id, noted[0].id)
    read_count = len(reads.of_issue(session, user_id, issue.id))
    said = (UNREAD if wanted == OFF else READ) % {"label": lookup.name_one(session, issue).text}
    if request.is_fragment:
        said = translate(request.localizer, said)
        return fragment(request, "read", {"issue": issue, "read_count": read_count, "said": said})
    return done(request, "success", said, "issue.detail", slug=issue.slug)


def includeme(config):
    """Add the address, for members."""
    own = {"permission": Permission.MEMBER, "decorator": private}
    config.add_page("reads.toggle", "/reads/toggle/{slug}/", toggle, methods=("POST",), **own)
