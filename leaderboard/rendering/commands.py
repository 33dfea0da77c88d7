"""A command line as it is set: a line may end between options, never after the hyphens of one."""

from __future__ import annotations

import re

from django.utils.html import format_html_join
from django.utils.safestring import SafeString


def set_command(command: str) -> SafeString:
    """The same text, each option with its value in a part of its own."""
    return format_html_join(
        " ", '<span class="command-part">{}</span>', ((part,) for part in re.split(" (?=--)", command))
    )
