"""What serving a workspace to others needs: tokens, and answers kept for retries (DESIGN section 11)."""

from datetime import datetime

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.projects import Person, Right

TOKEN_PREFIX = "kgi_sy_"
"""What every token begins with, as the API's keys do."""


class Token(Frozen):
    """A bearer token, without its secret: that is shown once, when the token is made."""

    id: str
    """The part of it that names it, 12 hex digits; no secret."""
    name: str
    """What its maker calls it, unique among the tokens that aren't revoked."""
    person_id: str
    """Who acts with it."""
    right: Right
    """The most it may do; what its person may do less, it may do less too."""
    created_at: datetime
    """When it was made (UTC)."""
    created_by: str
    """Who made it."""
    revoked_at: datetime | None = None
    """When it was revoked (UTC)."""


class Bearer(Frozen):
    """Whose request it is."""

    token: Token
    """The token it came with."""
    person: Person
    """Who acts, with the lesser of their right and the token's."""


class KeyedRequest(Frozen):
    """A request that carries an idempotency key."""

    caller: str
    """Who sent it; the same key of somebody else is another request."""
    method: str
    """Its HTTP method."""
    path: str
    """Its path, without the query."""
    key: str
    """The key."""
    body_digest: str
    """The SHA-256 of its body's bytes, in hex."""
    holder: str
    """A fresh id of this try: a try that lost its hold doesn't answer for the one that took it over."""


class KeptAnswer(Frozen):
    """An answer that is given again, byte by byte, to the same request with the same key."""

    status: int
    """Its HTTP status, below 400."""
    content_type: str
    """Its media type."""
    body: bytes
    """Its body."""


class Made(Frozen):
    """What a request made whose answer was never kept: its process ended in between. It is not to be run again."""

    id: str
    """The id of what it made; of a test set version `set@version`."""
