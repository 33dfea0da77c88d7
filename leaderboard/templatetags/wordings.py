"""Filters that say stored English words in the reader's language: `{{ tag|say_tag }}`."""

from __future__ import annotations

from django import template

from leaderboard.selectors.board_print import mark_in_words
from leaderboard.selectors.runs import state_word
from leaderboard.selectors.wordings import say_modality, say_tag

register = template.Library()
register.filter("say_tag", say_tag)
register.filter("say_modality", say_modality)
register.filter("say_state", state_word)
register.filter("say_mark", mark_in_words)
