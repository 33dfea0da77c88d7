"""Entrants by name: who was first to bring one owns it."""

from __future__ import annotations

import unicodedata

from django.utils.text import slugify
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Entrant, User
from arena.names import as_latin, as_seen


def get_entrant(
    name: str, organisation: str = "", owner: User | None = None, *, kind: str = Entrant.Kind.MODEL
) -> Entrant:
    """The entrant of this name, whatever its case and spacing; the first to submit one owns it.

    An existing entrant comes back as it is, also when it is of another kind: callers who mind compare.
    """
    name, organisation = as_seen(unicodedata.normalize("NFKC", name)), as_seen(organisation)
    if not name:
        raise Refused("model", _("a name is needed"))
    if len(name) > 200:
        raise Refused("model", _("a name has at most 200 characters"))
    entrant = Entrant.objects.filter(name=name).first() or Entrant.objects.filter(name__iexact=name).first()
    if entrant is None:
        entrant = Entrant.objects.create(
            name=name, slug=_free_slug(name), organisation=organisation[:200], owner=owner, kind=kind
        )
    return entrant


def get_model(name: str, organisation: str, owner: User | None) -> Entrant:
    """The entrant that a run is made for: never a human row or a baseline, nor one that only looks like another."""
    _refuse_look_alike(name)
    entrant = get_entrant(name, organisation, owner)
    if entrant.kind != Entrant.Kind.MODEL:
        message = _("“%(name)s” is the name of a row for people or a baseline: choose another")
        raise Refused("model", message % {"name": entrant.name})
    return entrant


def _refuse_look_alike(name: str) -> None:
    name = as_seen(unicodedata.normalize("NFKC", name))
    latin = as_latin(name)
    if latin != name and (known := Entrant.objects.filter(name__iexact=latin).first()):
        message = _("“%(name)s” looks like the known “%(known)s” in letters of another alphabet: choose another")
        raise Refused("model", message % {"name": name, "known": known.name})


def _free_slug(name: str) -> str:
    base = slugify(name)[:100] or "model"
    slug, n = base, 2
    while Entrant.objects.filter(slug=slug).exists():
        slug, n = f"{base}-{n}", n + 1
    return slug
