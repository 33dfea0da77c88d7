"""The last word on what reaches a page: only these elements and attributes, whatever came before."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import nh3

_HTML_TAGS = (
    "a blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr img li mark ol p pre s "
    "span strong sub summary sup table tbody td th thead tr ul"
)
HTML_TAGS = frozenset(_HTML_TAGS.split())
_MATHML_TAGS = (
    "math semantics annotation mrow mi mn mo mtext mspace msub msup msubsup mfrac msqrt mroot mover munder munderover "
    "mtable mtr mtd mstyle mpadded mphantom menclose"
)
MATHML_TAGS = frozenset(_MATHML_TAGS.split())
ATTRIBUTES: dict[str, set[str]] = {
    "a": {"href", "class", "title"},
    "blockquote": {"dir"},
    "code": {"class", "title", "dir"},
    "details": {"open", "class"},
    "div": {"class", "dir", "tabindex", "role", "aria-label"},
    "figure": {"class", "id"},
    "img": {"alt", "width", "height", "loading", "decoding"},
    "li": {"dir"},
    "mark": {"id", "class"},
    "ol": {"start", "dir"},
    "p": {"class", "dir"},
    "pre": {"class", "dir", "tabindex"},
    "span": {"class", "title", "dir", "tabindex"},
    "summary": {"dir"},
    "td": {"class", "dir"},
    "th": {"class", "scope", "dir"},
    "ul": {"dir"},
    **{f"h{level}": {"dir"} for level in range(1, 7)},
    "math": {"display", "class"},
    "annotation": {"encoding"},
    "menclose": {"notation", "class"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {
        "stretchy", "fence", "form", "minsize", "maxsize", "movablelimits", "largeop", "separator", "lspace", "rspace",
    },
    "mover": {"accent"},
    "mpadded": {"width", "height", "depth", "lspace", "voffset"},
    "mspace": {"width"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtable": {"class", "displaystyle"},
    "mtd": {"class"},
    "mtext": {"class"},
    "mtr": {"class"},
}  # fmt: skip


def sanitise(html: str, image_urls: Iterable[str] = ()) -> str:
    """The HTML with every element and attribute outside the lists removed; images only from `image_urls`."""
    return _cleaner(frozenset(image_urls)).clean(html)


@lru_cache(maxsize=256)
def _cleaner(image_urls: frozenset[str]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=HTML_TAGS | MATHML_TAGS,
        attributes=ATTRIBUTES,
        tag_attribute_values={"img": {"src": set(image_urls)}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener ugc",
        strip_comments=True,
    )
