"""What has become of a queue item: open, disputed or done."""

from __future__ import annotations

from django.utils import timezone

from arena.models import ReviewItem
from arena.review_states import part_states


def settle(item: ReviewItem) -> str:
    """Bring the item's state up to what is stored; returns it. The caller holds the item's row."""
    states = part_states(item)
    if all(state.points is not None for state in states):
        state = ReviewItem.State.DONE
    elif any(state.is_disputed(item.needed) for state in states):
        state = ReviewItem.State.DISPUTED
    else:
        state = ReviewItem.State.OPEN
    if item.is_calibration:
        state = ReviewItem.State.OPEN  # it goes on measuring whoever comes next
    if state != item.state:
        item.state = state
        item.decided_at = timezone.now() if state == ReviewItem.State.DONE else None
        item.save(update_fields=["state", "decided_at"])
    return str(state)
