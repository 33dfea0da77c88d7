"""What is wrong with a text that is not JSON, in the reader's language: Python's own words are English alone."""

from __future__ import annotations

from django.utils.translation import gettext as _


def describe_json_fault(error: ValueError | RecursionError) -> str:
    """Without the place: whoever tells it knows the line."""
    words = {
        "Expecting value": _("a value is expected"),
        "Expecting property name enclosed in double quotes": _("a name in double quotes is expected"),
        "Illegal trailing comma before end of object": _("a comma stands before the end of an object"),
        "Illegal trailing comma before end of array": _("a comma stands before the end of a list"),
        "Expecting ',' delimiter": _("a comma is expected"),
        "Expecting ':' delimiter": _("a colon is expected"),
        "Extra data": _("something follows its end"),
        "Unterminated string starting at": _("a text is not closed"),
        "Invalid control character at": _("a text holds a control character"),
        "Invalid \\escape": _("a backslash begins no escape"),
        "Invalid \\uXXXX escape": _("an escape \\u has not four digits"),
    }
    if isinstance(error, RecursionError):
        return _("nested too deeply")
    return words.get(getattr(error, "msg", ""), _("it cannot be read"))
