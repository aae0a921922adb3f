"""The return types of calls. Catalog objects are dictionaries with the fields of the API reference."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """A page of a list; `count` is None if the server does not count, `next` is None on the last page."""

    results: list[Json]
    count: int | None
    next: dict[str, str] | None


@dataclass(frozen=True)
class Found:
    """Objects by their ids, and the ids without an object; `merged` maps ids to those of the survivors."""

    results: list[Json]
    missing: list[int]
    merged: dict[int, int]
    deleted: list[int]


@dataclass(frozen=True)
class Candidate:
    """An issue that a comic may be, its likelihood (`score`, from 0 to 1), and the reasons by field."""

    issue: Json
    score: float
    reasons: dict[str, str]


@dataclass(frozen=True)
class Match:
    """The candidates found for one descriptor, the most likely first.

    If `certain`, nobody needs to check the first one. `ties` names the fields that would decide between the
    candidates, `errors` has the errors of the descriptor by field.
    """

    certain: bool
    candidates: list[Candidate]
    ties: list[str] = field(default_factory=list)
    errors: dict[str, list[str]] = field(default_factory=dict)

    @property
    def best(self) -> Candidate | None:
        """The most likely candidate."""
        return self.candidates[0] if self.candidates else None

    @classmethod
    def of(cls, result: Json) -> "Match":
        """The match that a result in the server's response describes."""
        candidates = [
            Candidate(
                each["issue"], each["score"], {reason["field"]: reason["text"] for reason in each["reasons"]}
            )
            for each in result["candidates"]
        ]
        ties = [each["field"] for each in result.get("ties") or ()]
        return cls(result["certain"], candidates, ties, result.get("errors") or {})
