"""Copying from the previous issue into a form, and the two copy buttons of an issue's page."""

from pyramid.httpexceptions import HTTPSeeOther
from sqlalchemy import select

from comicsdb.catalog import InvalidError, copying
from comicsdb.i18n import translate
from comicsdb.models import Issue, issue_character, issue_team
from comicsdb.security import Permission
from comicsdb.values import partial_day, whole_number
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import sorted_ids
from comicsdb_web.forms.rows import CREDITS, Row, new_row, next_index
from comicsdb_web.rendering.locales import _, ngettext

LINK_TABLES = {"characters": issue_character, "teams": issue_team}
SERIES_REQUIRED = _("Choose the series first: the previous issue is looked up there.")


def copy_from_previous(draft: Draft, name: str) -> None:
    """Add the previous issue's credits, characters or teams to the form, or an error if there is none."""
    if name not in {"credits", *LINK_TABLES} or "series" not in draft.typed:
        return
    source = _previous_issue(draft)
    if isinstance(source, Issue):
        _copy(draft, name, source.id)
    else:
        draft.add_errors({name: [source]})


def _previous_issue(draft: Draft):
    """The previous issue of the chosen series, or a message that says why there is none."""
    chosen = draft.typed["series"]
    series_id = whole_number(chosen[0]) if chosen else None
    if series_id is None:
        return SERIES_REQUIRED
    session, entity = draft.request.dbsession, draft.entity
    if entity is not None and entity.series_id == series_id:
        source = copying.previous_issue(session, series_id, before=entity.id)
    else:
        day = partial_day(draft.typed["cover_date"].strip())
        source = copying.previous_issue(session, series_id, until=day and day[0])
    return source or copying.NO_PREVIOUS


def _copy(draft: Draft, name: str, issue_id: int) -> None:
    session = draft.request.dbsession
    if name == "credits":
        rows = draft.drop_blank_rows("credits")
        present = {row.typed["creator"] for row in rows if not row.removed}
        for credit in copying.copyable_credits(session, issue_id)[0]:
            row = _credit_row(next_index(rows), credit)
            if row.typed["creator"] not in present:
                rows.append(row)
        return
    table = LINK_TABLES[name]
    other = next(column for column in table.c if column.name != "issue_id")
    ids = session.scalars(select(other).where(table.c.issue_id == issue_id))
    draft.typed[name] = sorted_ids([*draft.typed[name], *map(str, ids)])


def _credit_row(index: int, credit: dict) -> Row:
    row = new_row(CREDITS, index)
    row.typed = {field.name: field.display_value(credit) for field in CREDITS.fields}
    return row


class CopyingViews:
    """The copy buttons of an issue's page, for views with `request`, `session` and `_entity()`."""

    def copy_buttons(
        self, issue, *, previous, has_credits: bool, has_content: bool, has_reprints: bool
    ) -> list:
        """The buttons of the page, each as name, label, and the reason why it is disabled or None."""
        if not (self.request.identity and self.request.has_permission(Permission.EDIT)):
            return []
        found = []
        without = self.request.registry.settings["comicsdb.copying.without"]
        if copying.may_duplicate_credits(issue.series, without):
            hindrance = copying.HAS_CREDITS if has_credits else None if previous else copying.NO_PREVIOUS
            found.append(("duplicate_credits", _("Copy the credits of the previous issue"), hindrance))
        if copying.may_sync_reprints(issue.series):
            hindrance = copying.HAS_CONTENT if has_content else None if has_reprints else copying.NO_REPRINTS
            found.append(("sync_reprints", _("Copy contents of the reprints"), hindrance))
        say = self.request.localizer
        return [(name, label, why and translate(say, why)) for name, label, why in found]

    def duplicate_credits(self):
        """Copy the credits of the previous issue."""
        without = self.request.registry.settings["comicsdb.copying.without"]
        issue = self._entity()
        try:
            done = copying.duplicate_credits(self.request.catalog, issue, without)
        except InvalidError as error:
            return self._answer(issue, "warning", error.errors["__all__"][0])
        copied = ngettext("${n} credit was copied.", "${n} credits were copied.", done.copied)
        skipped = ngettext(
            "${n} credit for a cover only was left out.",
            "${n} credits for covers only were left out.",
            done.skipped,
        )
        text = _("${copied} ${skipped}", mapping={"copied": copied, "skipped": skipped})
        return self._answer(issue, "success" if done.copied else "warning", text if done.skipped else copied)

    def sync_reprints(self):
        """Copy characters, teams and stories from the reprinted issues."""
        issue = self._entity()
        try:
            done = copying.sync_reprints(self.request.catalog, issue)
        except InvalidError as error:
            return self._answer(issue, "warning", error.errors["__all__"][0])
        if done.skipped:
            named = ", ".join(done.skipped[: copying.NAMED_MAX])
            text = _("Left out because they have several stories: ${issues}", mapping={"issues": named})
            self.request.messages.add("warning", text)
        if not done.stories:
            return self._answer(issue, "warning", _("Nothing to copy was found."))
        counts = {
            "characters": ngettext("${n} character", "${n} characters", done.characters),
            "teams": ngettext("${n} team", "${n} teams", done.teams),
            "stories": ngettext("${n} story", "${n} stories", done.stories),
        }
        return self._answer(
            issue, "success", _("Copied: ${characters}, ${teams}, ${stories}.", mapping=counts)
        )

    def _answer(self, issue, kind: str, text):
        self.request.messages.add(kind, text)
        return HTTPSeeOther(self.request.entity_path(issue))
