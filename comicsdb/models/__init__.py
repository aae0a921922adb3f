"""All mapped classes, imported here so that mappings and migrations know all tables."""

from comicsdb.models.account import (
    AccountLink,
    DailyCount,
    Donation,
    FormDraft,
    IdempotencyKey,
    OutgoingMail,
    PictureDraft,
    RateLimit,
    SecurityEvent,
    SecurityEventKind,
    SignupSettings,
    StaffAction,
    TaggedFile,
    ThrottleNotice,
)
from comicsdb.models.announcement import Announcement
from comicsdb.models.attribution import Attribution
from comicsdb.models.base import Base, Entity, metadata
from comicsdb.models.community import Favourite, Follow, PublicProfile, Review, ReviewReport
from comicsdb.models.external_id import ExternalId
from comicsdb.models.gcd_import import GcdImport
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
    ImportMapping,
    LibraryImport,
    LibraryImportRow,
    PullList,
    PullListSeries,
    ReadDate,
    WishList,
    WishListItem,
)
from comicsdb.models.library_act import LibraryAct, LibraryChange
from comicsdb.models.mirror import Mirror, ReceivedLine, ReceivedState
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
from comicsdb.models.picture_hash import PictureHash
from comicsdb.models.poll import Poll, PollChoice, PollVote
from comicsdb.models.publisher import Imprint, Publisher, Universe
from comicsdb.models.rating import IssueRating, ReadingListRating
from comicsdb.models.reading_list import PendingEntry, ReadingList, ReadingListItem, ReadingListLike
from comicsdb.models.record import (
    Change,
    Epoch,
    FeedHorizon,
    FormerSlug,
    History,
    LateStamps,
    Tombstone,
    TouchedObject,
    UnfinishedAct,
    Version,
)
from comicsdb.models.reference import AgeRating, Genre, Role, SeriesType
from comicsdb.models.second_factor import Passkey, RecoveryCode, SpentChallenge, Totp
from comicsdb.models.series import Series, series_associated, series_genre
from comicsdb.models.user import ApiToken, Group, LoginSession, User, user_group_member
from comicsdb.models.webhook import Webhook, WebhookDelivery

# The nine kinds of the catalog, in the order of their dependencies.
CATALOG = (Publisher, Imprint, Universe, Creator, Team, Character, Arc, Series, Issue)
