"""What a model was run under, in words; of several runs of one model, what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.models import Run
from leaderboard.board_entries import Entry
from leaderboard.sentences import join_words


def list_settings(run: Run) -> Mapping[str, str]:
    """Each setting by name, in words; one that was left to the endpoint has none."""
    params = run.params
    found = {
        "shots": ngettext("%(n)d shot", "%(n)d shots", run.shots) % {"n": run.shots},
        "repeats": ngettext("%(n)d repeat", "%(n)d repeats", run.repeats) % {"n": run.repeats},
        "temperature": _("temperature %(value)s") % {"value": params.get("temperature")},
        "max_tokens": _("max_tokens %(value)s") % {"value": params.get("max_tokens")},
        "reasoning": _("reasoning effort %(value)s") % {"value": params.get("reasoning_effort")},
        "prompt": _("prompt %(digest)s") % {"digest": run.prompt_digest[:8]},
        "style": run.style,
    }
    is_set = {
        "temperature": params.get("temperature") is not None,
        "max_tokens": bool(params.get("max_tokens")),
        "reasoning": bool(params.get("reasoning_effort")),
        "prompt": bool(run.prompt_digest),
    }
    return {name: words for name, words in found.items() if words and is_set.get(name, True)}


def tell_apart(runs: Sequence[Run]) -> dict[int, str]:
    """Key of a run -> the settings that not all runs of its model share; nothing for a model with one run."""
    models: dict[int, list[Run]] = {}
    for run in {run.pk: run for run in runs}.values():
        models.setdefault(run.entrant_id, []).append(run)
    found = {}
    for own in models.values():
        settings = {run.pk: list_settings(run) for run in own}
        for pk, mine in settings.items():
            differing = [words for name, words in mine.items() if any(s.get(name) != words for s in settings.values())]
            found[pk] = join_words(differing)
    return found


def name_entries(entries: Sequence[Entry]) -> list[str]:
    """Names of models, each only once: of one with several runs with what tells them apart, else the run's digits."""
    apart = tell_apart([entry.run for entry in entries])
    names = [_add(entry.run.entrant.name, apart[entry.run.pk]) for entry in entries]
    return [
        _add(entry.run.entrant.name, str(entry.run.uuid)[:8]) if names.count(name) > 1 else name
        for name, entry in zip(names, entries, strict=True)
    ]


def _add(name: str, words: str) -> str:
    return f"{name} ({words})" if words else name
