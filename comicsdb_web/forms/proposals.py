"""Values that a form for a new issue proposes from the issues before it."""

from sqlalchemy import select

from comicsdb.catalog.next_issue import propose_next_issue
from comicsdb.models import Issue
from comicsdb.values import whole_number
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import InputValue


def proposed_values(draft: Draft, after: int | None = None) -> dict[str, InputValue]:
    """The field values of the next issue of the chosen series: after the last one, or after `after`."""
    chosen = whole_number(draft.typed["series"][0]) if draft.typed["series"] else None
    if chosen is None:
        return {}
    values = propose_next_issue(draft.request.dbsession, chosen, after)
    return {
        field.name: field.display_value(values) for field in draft.form.typed_fields if field.name in values
    }


def propose(draft: Draft, after: int | None = None) -> None:
    """Fill in blank fields with the proposed values."""
    if draft.entity is not None or "series" not in draft.typed:
        return
    if after is not None and not draft.typed["series"]:
        series = draft.request.dbsession.scalar(select(Issue.series_id).where(Issue.id == after))
        draft.typed["series"] = (str(series),) if series else ()
    values = proposed_values(draft, after)
    blank = {
        field.name for field in draft.form.typed_fields if draft.typed[field.name] == field.display_value({})
    }
    draft.proposed = [name for name in values if name in blank and values[name] != draft.typed[name]]
    draft.typed |= {name: values[name] for name in draft.proposed}
