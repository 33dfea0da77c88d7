"""Filters that say stored English words in the reader's language: `{{ tag|say_tag }}`; and `set_command`."""

from __future__ import annotations

from django import template

from leaderboard.rendering.commands import set_command
from leaderboard.selectors.audit_words import say_act, say_facts
from leaderboard.selectors.catalog import localised
from leaderboard.selectors.fields import column_title, say_field
from leaderboard.selectors.kinds import say_kind, say_role
from leaderboard.selectors.runs import state_word
from leaderboard.selectors.standing_words import mark_in_words
from leaderboard.selectors.wordings import say_modality, say_outcome, say_tag
from leaderboard.sentences import say_sentence

register = template.Library()
register.filter("set_command", set_command)
register.filter("say_tag", say_tag)
register.filter("say_modality", say_modality)
register.filter("say_state", state_word)
register.filter("say_mark", mark_in_words)
register.filter("say_outcome", say_outcome)
register.filter("say_act", say_act)
register.filter("say_facts", say_facts)
register.filter("say_field", say_field)
register.filter("say_column", column_title)
register.filter("say_title", lambda benchmark: localised(benchmark, "title"))
register.filter("say_kind", say_kind)
register.filter("say_role", say_role)
register.filter("say_sentence", say_sentence)
