"""Languages by their own names and in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext_lazy, ngettext

from leaderboard.sentences import join_words

MOST_NAMED = 3  # in one line
NATIVE = {
    "as": "অসমীয়া", "bn": "বাংলা", "en": "English", "gu": "ગુજરાતી", "hi": "हिन्दी", "kn": "ಕನ್ನಡ", "ml": "മലയാളം",
    "mr": "मराठी", "ne": "नेपाली", "or": "ଓଡ଼ିଆ", "pa": "ਪੰਜਾਬੀ", "ta": "தமிழ்", "te": "తెలుగు", "zh": "中文",
}  # fmt: skip
NAMES = {
    "as": gettext_lazy("Assamese"),
    "bn": gettext_lazy("Bengali"),
    "en": gettext_lazy("English"),
    "gu": gettext_lazy("Gujarati"),
    "hi": gettext_lazy("Hindi"),
    "kn": gettext_lazy("Kannada"),
    "ml": gettext_lazy("Malayalam"),
    "mr": gettext_lazy("Marathi"),
    "ne": gettext_lazy("Nepali"),
    "or": gettext_lazy("Odia"),
    "pa": gettext_lazy("Punjabi"),
    "ta": gettext_lazy("Tamil"),
    "te": gettext_lazy("Telugu"),
    "zh": gettext_lazy("Chinese"),
}


def say_language(code: str) -> str:
    """In the reader's language; an unknown one by its code."""
    return str(NAMES.get(code, code))


def name_languages(codes: Sequence[str]) -> str:
    """The languages by name; how many there are where a line would not hold them."""
    if len(codes) > MOST_NAMED:
        return ngettext("%(n)d language", "%(n)d languages", len(codes)) % {"n": len(codes)}
    return join_words(map(say_language, codes))
