"""Which parameters of an address a stored page looks at. All others are dropped before any view sees them, so that
an invented parameter neither makes a new page nor finds its way into the links of a stored one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve

LONGEST = 200  # characters of a value: no slug, name or word searched for is longer
MOST_VALUES = 8  # of a parameter that may come several times
View = TypeVar("View", bound=Callable[..., Any])


def looks_at(*names: str, many: tuple[str, ...] = ()) -> Callable[[View], View]:
    """Mark a view whose answer is equal for all visitors and depends on these parameters alone.

    many: those of which every value counts; of the others the last one does.
    """

    def mark(view: View) -> View:
        view.parameters = {**dict.fromkeys(names, 1), **dict.fromkeys(many, MOST_VALUES)}  # type: ignore[attr-defined]
        return view

    return mark


@lru_cache(maxsize=4096)
def parameters_of(path: str) -> Mapping[str, int] | None:
    """How many values of which parameter count on the page at `path`; None where pages are not stored."""
    try:
        view = resolve(path).func
    except Resolver404:
        return None
    return getattr(view, "parameters", None)


def tidy_query(request: HttpRequest, parameters: Mapping[str, int]) -> None:
    """Leave in the address only what counts, sorted."""
    if not request.META.get("QUERY_STRING"):
        return
    given = QueryDict(request.META["QUERY_STRING"], encoding=request.encoding or "utf-8")
    counts = {
        name: [value for value in given.getlist(name)[-most:] if len(value) <= LONGEST and "\0" not in value]
        for name, most in parameters.items()
    }
    readdress(request, counts)


def readdress(request: HttpRequest, parameters: Mapping[str, str | list[str]]) -> None:
    """Make the request one for these parameters; empty ones are left out."""
    query = QueryDict(mutable=True)
    for name in sorted(parameters):
        values = parameters[name]
        if given := [value for value in ([values] if isinstance(values, str) else values) if value]:
            query.setlist(name, given)
    request.META["QUERY_STRING"] = query.urlencode()
    request.GET = query  # type: ignore[assignment]
