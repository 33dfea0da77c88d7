"""BibTeX entries that LaTeX can set: what is special to it is escaped, addresses stand in \\url as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

SPECIAL = re.compile(r"[\\{}#$%&_~^]")
ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def make_entry(key: str, fields: Mapping[str, str], *, url: str = "") -> str:
    """A `@misc` entry; fields in order, empty ones left out."""
    lines = [f"  {name} = {{{escape_tex(value)}}}" for name, value in fields.items() if value]
    if url:
        lines.append(f"  howpublished = {{\\url{{{url}}}}}")
    return f"@misc{{{make_key(key)},\n" + ",\n".join(lines) + "\n}"


def make_key(text: str) -> str:
    return re.sub(r"[^0-9A-Za-z:_-]+", "-", text).strip("-")


def escape_tex(text: str) -> str:
    return SPECIAL.sub(lambda found: ESCAPED.get(found[0], f"\\{found[0]}"), text)
