"""The fields of the submit form that depend on its benchmark, each with its default and its reason."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.html import escape
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from arena.services.choices import Choices
from leaderboard.selectors.fields import say_field

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

EFFORTS = (("minimal", _("minimal")), ("low", _("low")), ("medium", _("medium")), ("high", _("high")))


class SecretInput(forms.PasswordInput):
    """Write-only: what was typed never comes back, and no browser offers to keep it."""

    def __init__(self) -> None:
        super().__init__(render_value=False, attrs={"autocomplete": "off", "spellcheck": "false"})


def run_fields(choices: Choices) -> dict[str, forms.Field]:
    """Which problems are put, and how the model is called, with this benchmark's defaults."""
    why_tokens = _("The run stops when model and judge have used so many; what is done is kept.")
    why_usd = _("The same in money, where the prices of model and judge are known.")
    return {**_problem_fields(choices), **_call_fields(choices), **budget_fields(why_tokens, why_usd)}


def _problem_fields(choices: Choices) -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    if len(choices.subsets) > 1:
        fields["subsets"] = forms.MultipleChoiceField(
            label=_("Subsets"),
            required=False,
            choices=[(subset.slug, f"{say_field(subset.title)} ({subset.n_problems})") for subset in choices.subsets],
            widget=forms.CheckboxSelectMultiple(),
            help_text=_("None chosen means all of them. Only whole subsets rank, each in its own column."),
        )
    fields["limit"] = forms.IntegerField(
        label=_("Limit"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=_("The first N problems of each subset, to try things out. A limited run is never ranked."),
    )
    if choices.max_shots:
        fields["shots"] = forms.IntegerField(
            label=_("Shots"),
            required=False,
            initial=choices.default_shots,
            min_value=0,
            max_value=choices.max_shots,
            help_text=_("Worked examples before each question, from the validation split; a row of its own."),
        )
    fields["repeats"] = forms.IntegerField(
        label=_("Repeats"),
        required=False,
        initial=1,
        min_value=1,
        max_value=64,
        help_text=_("Replies to each problem. More make the interval narrower, and cost as many times more."),
    )
    return fields


def _call_fields(choices: Choices) -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {
        "temperature": forms.FloatField(
            label=_("Temperature"),
            required=False,
            initial=0,
            min_value=0,
            max_value=2,
            help_text=_("0 is the benchmark's default. Empty leaves it out, for endpoints that refuse it."),
        ),
        "max_tokens": forms.IntegerField(
            label=_("Max tokens"),
            required=False,
            initial=choices.default_max_tokens,
            min_value=1,
            max_value=1_000_000,
            help_text=_("Room for reasoning and answer. A reply cut by length counts as wrong, and says so."),
        ),
        "reasoning_effort": forms.ChoiceField(
            label=_("Reasoning effort"),
            required=False,
            choices=[("", _("the endpoint's default")), *EFFORTS],
            help_text=_("Sent only where you choose one; it is part of the run's identity."),
        ),
    }
    if choices.has_figures:
        fields["max_image_bytes"] = forms.IntegerField(
            label=_("Largest image, bytes"),
            required=False,
            min_value=1000,
            max_value=64 * 2**20,
            help_text=_("Empty sends figures as they are; a larger figure is scaled down, and marked."),
        )
    return fields


def budget_fields(why_tokens: StrOrPromise, why_usd: StrOrPromise) -> dict[str, forms.Field]:
    """What may be spent at most, in tokens and in money, each with its one line why."""
    return {
        "budget_tokens": forms.IntegerField(
            label=_("Budget, tokens"), required=False, min_value=1, max_value=10**12, help_text=why_tokens
        ),
        "budget_usd": forms.DecimalField(
            label=_("Budget, US dollars"),
            required=False,
            min_value=Decimal("0.01"),
            max_digits=9,
            decimal_places=2,
            help_text=why_usd,
        ),
    }


def read_budget(data: Mapping[str, Any]) -> dict[str, int | float]:
    """The budget of a valid form with these fields, as a run keeps it; empty without one."""
    budget = {"tokens": data.get("budget_tokens"), "usd": data.get("budget_usd")}
    return {name: float(value) if name == "usd" else int(value) for name, value in budget.items() if value}


def judge_fields(choices: Choices) -> dict[str, forms.Field]:
    """Nothing for a benchmark that is scored by rule alone."""
    if choices.judge == "none":
        return {}
    strategies = [("auto", _("auto: a judge where the benchmark wants one")), ("llm", _("llm: always a judge"))]
    if choices.judge == "optional":
        strategies.append(("rule", _("rule: by code alone")))
    official = choices.official_judge or _("none yet")
    return {
        "judge_strategy": forms.ChoiceField(
            label=_("Judge strategy"),
            required=False,
            choices=strategies,
            initial="auto",
            help_text=_("How replies are graded. Only the official judge ranks."),
        ),
        "judge_model": forms.CharField(
            label=_("Own judge: model"),
            required=False,
            max_length=200,
            help_text=gettext("Empty takes the official judge (%(judge)s). A run with your own judge is not ranked.")
            % {"judge": escape(official)},  # the template shows help as HTML
        ),
        "judge_base_url": forms.CharField(
            label=_("Own judge: endpoint URL"),
            required=False,
            max_length=500,
            widget=forms.URLInput(attrs={"autocomplete": "off"}),
            help_text=_("Where your judge answers, up to and with /v1."),
        ),
        "judge_api_key": forms.CharField(
            label=_("Own judge: key"),
            required=False,
            max_length=4000,
            widget=SecretInput(),
            help_text=_("Treated as the key above: encrypted, write-only, deleted at the end."),
        ),
    }
