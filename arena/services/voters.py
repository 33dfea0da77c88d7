"""Who votes, without knowing who they are: keyed hashes of a cookie or account, and caps on how much one may vote.

An address is kept only as a hash under a key that is another one every day; it links no two days and no account.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, time

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Pool, User, Vote
from arena.services.throttling import site_throttle

BURST_VOTER, BURST_ADDRESS, BURST_S = 60, 300, 600.0  # votes at once, refilled over ten minutes
DAY_VOTER, DAY_ADDRESS = 300, 600  # votes a day
SERVED_ADDRESS, SERVED_S = 900, 600.0  # new battles drawn for one address


class TooMany(Refused):
    """A cap is reached; retry_after_s says when to come back."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__("", message)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Voter:
    """key: of the account, else of the cookie. other_key: the cookie's, where an account votes from this browser."""

    key: str
    pool: str
    address: str
    other_key: str = ""
    user_id: int | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key in (self.key, self.other_key) if key)


def new_cookie() -> str:
    return secrets.token_urlsafe(16)


def identify(user: User | object, cookie: str, address: str) -> Voter:
    """The voter of a request. Reviewers and maintainers, other accounts, and visitors are separate pools."""
    by_cookie = hash_voter("cookie", cookie)
    hashed = hash_address(address)
    if not isinstance(user, User):
        return Voter(by_cookie, Pool.ANONYMOUS, hashed)
    pool = Pool.REVIEWER if user.is_reviewer else Pool.SIGNED_IN
    return Voter(hash_voter("account", str(user.pk)), pool, hashed, by_cookie, user.pk)


def hash_voter(kind: str, identity: str) -> str:
    return f"{kind}-{_hash('arena.voter', f'{kind}:{identity}')}"


def hash_address(address: str) -> str:
    return _hash(f"arena.address.{timezone.now():%Y-%m-%d}", address) if address else ""


def _hash(purpose: str, text: str) -> str:
    key = hashlib.sha256(f"{purpose}\0{settings.SECRET_KEY}".encode()).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:32]


def check_vote_caps(voter: Voter) -> None:
    """Take one vote of the voter's and the address's allowance. Raises TooMany."""
    for key, most in ((f"vote:{voter.key}", BURST_VOTER), (f"vote-from:{voter.address}", BURST_ADDRESS)):
        allowance = site_throttle().allow(key, most, BURST_S)
        if not allowance:
            raise TooMany(_("too many votes in a short time"), allowance.retry_after_s)
    midnight = datetime.combine(timezone.now().date(), time.min, tzinfo=timezone.get_current_timezone())
    today = Vote.objects.filter(created_at__gte=midnight)
    if today.filter(voter=voter.key).count() >= DAY_VOTER:
        raise TooMany(_("the day's votes of this voter are used up"), 3600)
    if voter.address and today.filter(address=voter.address).count() >= DAY_ADDRESS:
        raise TooMany(_("the day's votes from this address are used up"), 3600)


def check_serving_cap(voter: Voter) -> None:
    """Drawing a battle costs work and rows: bounded for each address. Raises TooMany."""
    allowance = site_throttle().allow(f"battles-for:{voter.address or voter.key}", SERVED_ADDRESS, SERVED_S)
    if not allowance:
        raise TooMany(_("too many battles in a short time"), allowance.retry_after_s)
