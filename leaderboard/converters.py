"""Official ids in addresses: `=`, `&`, `+`, `:`, `.`, `-` are part of them, `/` never is."""

from __future__ import annotations

from urllib.parse import unquote


class ExternalIdConverter:
    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return unquote(value)
