"""The tables: every mapped class is imported here, so that mappings and migrations see them all."""

from comicsdb.models.account import (
    AccountLink,
    DailyCount,
    Donation,
    IdempotencyKey,
    OutgoingMail,
    SignupSettings,
    StaffAction,
    ThrottleNotice,
)
from comicsdb.models.announcement import Announcement
from comicsdb.models.attribution import Attribution
from comicsdb.models.base import Base, CatalogueEntity, Entity, metadata
from comicsdb.models.issue import (
    Credit,
    Issue,
    Variant,
    credit_role,
    issue_arc,
    issue_character,
    issue_reprint,
    issue_team,
    issue_universe,
)
from comicsdb.models.library import (
    CollectionItem,
    FeedAddress,
    LibraryImport,
    PullList,
    PullListSeries,
    ReadDate,
    WishList,
    WishListItem,
)
from comicsdb.models.people import (
    Arc,
    Character,
    Creator,
    Team,
    character_creator,
    character_team,
    character_universe,
    team_creator,
    team_universe,
)
from comicsdb.models.poll import Poll, PollChoice, PollVote
from comicsdb.models.publisher import Imprint, Publisher, Universe
from comicsdb.models.rating import IssueRating, ReadingListRating
from comicsdb.models.reading_list import ReadingList, ReadingListItem
from comicsdb.models.record import Change, Epoch, FormerSlug, History, Tombstone, Version
from comicsdb.models.reference import AgeRating, Genre, Role, SeriesType
from comicsdb.models.series import Series, series_associated, series_genre
from comicsdb.models.user import ApiToken, Group, LoginSession, User, user_group_member

# The nine kinds of the catalogue, in the order in which they depend on one another.
CATALOGUE = (Publisher, Imprint, Universe, Creator, Team, Character, Arc, Series, Issue)

__all__ = [
    "CATALOGUE",
    "AccountLink",
    "AgeRating",
    "Announcement",
    "ApiToken",
    "Arc",
    "Attribution",
    "Base",
    "CatalogueEntity",
    "Change",
    "Character",
    "CollectionItem",
    "Creator",
    "Credit",
    "DailyCount",
    "Donation",
    "Entity",
    "Epoch",
    "FeedAddress",
    "FormerSlug",
    "Genre",
    "Group",
    "History",
    "IdempotencyKey",
    "Imprint",
    "Issue",
    "IssueRating",
    "LibraryImport",
    "LoginSession",
    "OutgoingMail",
    "Poll",
    "PollChoice",
    "PollVote",
    "Publisher",
    "PullList",
    "PullListSeries",
    "ReadDate",
    "ReadingList",
    "ReadingListItem",
    "ReadingListRating",
    "Role",
    "Series",
    "SeriesType",
    "SignupSettings",
    "StaffAction",
    "Team",
    "ThrottleNotice",
    "Tombstone",
    "Universe",
    "User",
    "Variant",
    "Version",
    "WishList",
    "WishListItem",
    "character_creator",
    "character_team",
    "character_universe",
    "credit_role",
    "issue_arc",
    "issue_character",
    "issue_reprint",
    "issue_team",
    "issue_universe",
    "metadata",
    "series_associated",
    "series_genre",
    "team_creator",
    "team_universe",
    "user_group_member",
]
