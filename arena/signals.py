"""How the engine tells the floor above, without importing it. Receivers only enqueue, or work at once when inline."""

from django.dispatch import Signal

# Arguments: run_ids (list of primary keys), inline (bool: no worker will come, do it now).
scores_changed = Signal()
# Arguments: revision_id, inline. A benchmark's data, current scorer or reported rows changed.
catalog_changed = Signal()
# Arguments: pools (list of Pool values), inline. Votes came in, or some were excluded or taken back.
votes_changed = Signal()
