"""What maintainers type about judges."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from arena.models import Benchmark, Judge
from arena.services.scorers import JUDGE_DEFAULTS, RULES, JudgeSpec, is_judged
from leaderboard.run_fields import EFFORTS, budget_fields
from leaderboard.sentences import say_sentence

FIELD_OF = {
    "base-url": "base_url",
    "api-key": "api_key",
    "model": "model",
    "judge-param": "temperature",
    "scorer": "rule",
    "scorer-param": "calls",
    "judges": "judges",
}


class JudgeForm(forms.Form):
    """An official judge: where it answers, which model it is, how it is asked."""

    model = forms.CharField(
        label=_("Judge model"), max_length=200, help_text=_("The endpoint's own name of the model.")
    )
    base_url = forms.CharField(
        label=_("Endpoint URL"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://…/v1", "autocomplete": "off"}),
        help_text=_("OpenAI-compatible, up to and with /v1."),
    )
    api_key = forms.CharField(
        label=_("Key"),
        max_length=4000,
        required=False,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Stored encrypted and never shown again. Empty where none is needed."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        initial=0,
        min_value=0,
        max_value=2,
        help_text=_("Another temperature is another judge: old columns stay beside the new one."),
    )
    max_tokens = forms.IntegerField(
        label=_("Max tokens"), required=False, min_value=1, max_value=1_000_000, help_text=_("Empty leaves it open.")
    )
    reasoning_effort = forms.ChoiceField(
        label=_("Reasoning effort"),
        required=False,
        choices=[("", _("the endpoint's default")), *EFFORTS],
    )

    def read_spec(self) -> tuple[JudgeSpec, str]:
        """The judge and its key, of a valid form."""
        data = self.cleaned_data
        params: dict[str, Any] = {"temperature": data["temperature"]} if data["temperature"] else {}
        params |= {name: data[name] for name in ("max_tokens", "reasoning_effort") if data[name]}
        return JudgeSpec(data["model"].strip(), data["base_url"].strip(), params), data["api_key"].strip()


class ScorerForm(forms.Form):
    """A scorer made of judges that have an endpoint."""

    calls = forms.ChoiceField(
        label=_("Calls"),
        choices=[("criterion", _("one a criterion")), ("scheme", _("one a marking scheme"))],
        help_text=_("One call a scheme is cheaper; one a criterion looks closer."),
    )
    combine = forms.ChoiceField(
        label=_("Panel"),
        choices=[("mean", _("mean")), ("median", _("median")), ("majority", _("majority"))],
        help_text=_("How several judges or repeats become one number."),
    )
    judge_repeats = forms.IntegerField(
        label=_("Judge repeats"), initial=1, min_value=1, max_value=16, help_text=_("How often each judge is asked.")
    )
    verdict_attempts = forms.IntegerField(
        label=_("Attempts"),
        initial=JUDGE_DEFAULTS["verdict_attempts"],
        min_value=1,
        max_value=10,
        help_text=_("Fresh calls until a verdict can be read; then the part stays unscored."),
    )
    solution = forms.ChoiceField(
        label=_("Solution"),
        choices=[("content", _("the reply")), ("reasoning+content", _("reasoning field and reply"))],
        help_text=_("What the judge reads where a server returns the reasoning apart."),
    )
    figures = forms.BooleanField(
        label=_("Show figures"), required=False, help_text=_("For judges that see; others refuse pictures.")
    )

    def __init__(self, benchmark: Benchmark, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        rules = [(name, name) for name, rule in RULES.items() if rule.benchmark == benchmark.slug and is_judged(rule)]
        self.fields["rule"] = forms.ChoiceField(label=_("Rule"), choices=rules)
        self.fields["judges"] = forms.ModelMultipleChoiceField(
            label=_("Judges"),
            queryset=Judge.objects.filter(seats__benchmark=benchmark),
            to_field_name="digest",
            widget=forms.CheckboxSelectMultiple(),
            help_text=_("Several make a panel."),
        )
        self.order_fields(["judges", "rule", "calls", "combine"])

    def read_params(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in JUDGE_DEFAULTS}


class BudgetForm(forms.Form):
    """What judging a board again may cost at most."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.fields |= budget_fields(
            _("Judging stops when the judges have used so many; what is done is kept."),
            _("The same in money, where the judges' prices are known."),
        )


def add_refusal(form: forms.Form, field: str, message: str) -> None:
    """What a service refused, beside the field it is about."""
    name = FIELD_OF.get(field, "")
    form.add_error(name if name in form.fields else None, capfirst(say_sentence(message)))
