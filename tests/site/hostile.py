"""The scene with every text that came from outside replaced by one that tries to break out of where it stands."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import models

from arena.models import Guard

MARK = "window.hit=1"
# In attributes, elements, Markdown and formulas at once; the shorter ones are for the columns that hold no more.
TEXTS = (
    f"""--></textarea></title></style><script>{MARK}</script><img src=x onerror="{MARK}">"'`{{{{7*7}}}}
[click](javascript:{MARK}) ![pixel](http://evil.example/p.gif) $\\href{{javascript:{MARK}}}{{x}}$ $<svg onload={MARK}>$
" autofocus onfocus="{MARK}" x=' onmouseover={MARK}""",
    f'"><img src=x onerror={MARK}>',
    f"<svg onload={MARK}>",
    "\"'><b onclick=x>",
    '"><i>',
)
LINKS = {f'<b>{MARK}</b>" onclick="{MARK}': f"javascript:{MARK}", "plain": f'http://evil.example/" onmouseover="{MARK}'}
WORDS = {"claim": TEXTS[0], "reason": TEXTS[1], TEXTS[2]: TEXTS[0]}
JSONS = {"links": LINKS, "tags": list(TEXTS[:2]), "before": WORDS, "after": WORDS}
# Columns that code reads and no stranger writes: states and kinds, keys and digests, parts of addresses; and reference
# answers, on which a board rests (test_xss.py has hostile ones on a problem of its own).
CODES = frozenset(
    {
        "slug", "adapter", "headline_metric", "metric", "split", "subset", "external_id", "question", "benchmark",
        "value", "sha256", "content_hash", "digest", "prompt_digest", "prompt_sha256", "request_digest", "path", "mime",
        "kind", "status", "purpose", "target", "matched_by", "role", "part", "act", "basis", "interval_kind", "pool",
        "state", "language", "style", "level", "unranked_reason", "answer_class", "version", "cluster", "date",
        "injection", "key", "seed", "voter", "pairing", "address", "games", "token", "worker", "key_ciphertext",
        "base_url", "source_url", "password", "username", "email",
    }
)  # fmt: skip


def make_hostile() -> set[str]:
    """Rewrite the rows of our tables in place, past the append-only guard; the columns (`run.stop_reason`) touched."""
    Guard.objects.update_or_create(pk=1, defaults={"enforced": False})
    touched = set()
    for app in ("arena", "leaderboard"):
        for model in apps.get_app_config(app).get_models():
            columns = {field.name: text for field in model._meta.concrete_fields if (text := _text_for(field))}
            if columns and model._default_manager.update(**columns):
                touched |= {f"{model._meta.model_name}.{name}" for name in columns}
    Guard.objects.update_or_create(pk=1, defaults={"enforced": True})
    return touched


def _text_for(field: models.Field[Any, Any]) -> Any:
    """The longest that fits; None where no stranger's words stand."""
    if isinstance(field, models.JSONField):
        return JSONS.get(field.name)
    is_text = isinstance(field, (models.CharField, models.TextField)) and not field.choices and not field.unique
    if not is_text or field.name in CODES:
        return None
    return next(text for text in TEXTS if field.max_length is None or len(text) <= field.max_length)
