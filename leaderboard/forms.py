"""What visitors type: a run to start, a file of predictions. Every field says in one line why it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from arena.errors import Refused
from arena.services.choices import Choices
from arena.services.runs import Credentials, RunRequest
from arena.services.scorers import JudgeSpec
from leaderboard.run_fields import SecretInput, judge_fields, read_budget, run_fields
from leaderboard.selectors.fields import say_field
from leaderboard.sentences import say_sentence

MAX_UPLOAD_BYTES = 64 * 2**20

# The engine names fields as the command line does.
FIELD_OF = {
    "model": "model",
    "organisation": "organisation",
    "base-url": "base_url",
    "api-key": "api_key",
    "api-model": "api_model",
    "benchmark": "benchmark",
    "split": "split",
    "subset": "subsets",
    "limit": "limit",
    "shots": "shots",
    "repeats": "repeats",
    "temperature": "temperature",
    "max-tokens": "max_tokens",
    "max-image-bytes": "max_image_bytes",
    "judge-strategy": "judge_strategy",
    "judge-model": "judge_model",
    "judge-base-url": "judge_base_url",
    "judge-api-key": "judge_api_key",
    "budget-usd": "budget_usd",
    "budget-tokens": "budget_tokens",
}


def _benchmark_field(choices: list[tuple[str, str]]) -> forms.ChoiceField:
    return forms.ChoiceField(label=_("Benchmark"), choices=choices, help_text=_("Which exam the model sits."))


class ChoicesForm(forms.Form):
    """A form whose fields depend on the benchmark it is about."""

    model = forms.CharField(
        label=_("Model name"), max_length=200, help_text=_("As readers find it on the board, with its version.")
    )
    organisation = forms.CharField(
        label=_("Organisation"),
        max_length=200,
        required=False,
        help_text=_("Who made the model; stands below its name."),
    )

    def __init__(self, choices: Choices, benchmarks: list[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        self.choices = choices
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        for name in ("model", "organisation"):
            self.fields[name].widget.attrs.pop("maxlength")  # browsers would cut a longer name without a word
        self.fields["benchmark"] = _benchmark_field(benchmarks)
        self.fields["split"] = forms.ChoiceField(
            label=_("Split"),
            choices=[(name, name) for name in choices.splits],
            initial=choices.default_split,
            help_text=_("Published numbers belong to this split; another one is a board of its own."),
        )

    def add_refusal(self, refused: Refused) -> None:
        """What the engine refused, beside the field it is about."""
        name = FIELD_OF.get(refused.field)
        self.add_error(name if name in self.fields else None, capfirst(say_sentence(refused.message)))


class SubmitForm(ChoicesForm):
    """A model behind an OpenAI-compatible endpoint."""

    base_url = forms.CharField(
        label=_("Endpoint URL"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://…/v1", "autocomplete": "off"}),
        help_text=_("OpenAI-compatible, up to and with /v1; calls go to …/chat/completions."),
    )
    api_key = forms.CharField(
        label=_("Key"),
        max_length=4000,
        required=False,
        widget=SecretInput(),
        help_text=_("Stored encrypted, never shown again, deleted when the run ends. Empty where none is needed."),
    )
    api_model = forms.CharField(
        label=_("Model id"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("The endpoint's own name of the model; empty means the model name above."),
    )

    def __init__(
        self,
        choices: Choices,
        benchmarks: list[tuple[str, str]],
        *args: Any,
        keys_given: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """keys_given: fields in which a key was typed, now or before; it never comes back with the form."""
        super().__init__(choices, benchmarks, *args, **kwargs)
        self.keys_given = keys_given
        self.may_skip_check = False  # the endpoint did not answer: somebody may insist
        self.fields |= run_fields(choices) | judge_fields(choices)
        if keys_given:
            self.fields["no_key"] = forms.BooleanField(label=_("Start without the key typed before"), required=False)
            for name in self.fields.keys() & set(keys_given):
                self.fields[name].help_text = _("You typed a key before. It never comes back to a page: type it again.")

    def sections(self) -> dict[str, list[forms.BoundField]]:
        """The form's parts in reading order."""
        parts = {
            "model": ("model", "organisation"),
            "endpoint": ("base_url", "api_key", "no_key", "api_model"),
            "benchmark": ("benchmark",),
            "problems": ("split", "subsets", "limit", "shots", "repeats"),
            "calls": (
                "temperature",
                "max_tokens",
                "reasoning_effort",
                "max_image_bytes",
                "budget_tokens",
                "budget_usd",
            ),
            "judge": ("judge_strategy", "judge_model", "judge_base_url", "judge_api_key"),
        }
        return {name: [self[field] for field in fields if field in self.fields] for name, fields in parts.items()}

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        self._require_keys_again(data)
        if data.get("judge_model") and not data.get("judge_base_url"):
            self.add_error("judge_base_url", gettext("Say where your judge answers."))
        if data.get("judge_base_url") and not data.get("judge_model"):
            self.add_error("judge_model", gettext("Say which model judges there."))
        needs_judge = self.choices.judge == "required" or data.get("judge_strategy") == "llm"
        if (
            needs_judge
            and not self.choices.official_judge
            and "judge_model" in self.fields
            and not data.get("judge_model")
        ):
            self.add_error("judge_model", gettext("This benchmark has no official judge yet: bring your own."))
        return data

    def _require_keys_again(self, data: Mapping[str, Any]) -> None:
        """No run starts without its key only because an error elsewhere in the form had emptied the field."""
        for name in self.keys_given:
            if name in self.fields and not data.get(name) and not data.get("no_key"):
                self.add_error(name, gettext("Type the key again, or say below that none is needed."))

    def mark_emptied_keys(self) -> None:
        """Say beside each key that was typed that it is not in the form any more; for a form shown again."""
        for name in self.keys_given:
            if name in self.fields and name not in self.errors and not self.data.get("no_key"):
                self.add_error(name, gettext("Type the key again: it never comes back to a page."))

    def read_request(self) -> tuple[RunRequest, Credentials]:
        """The choices and keys of a valid form."""
        data = self.cleaned_data
        judge = data.get("judge_model") or ""
        request = RunRequest(
            benchmark=data["benchmark"],
            model=data["model"],
            organisation=data["organisation"],
            base_url=data["base_url"].strip(),
            api_model=data["api_model"],
            split=data["split"],
            subsets=tuple(data.get("subsets") or ()),
            limit=data["limit"],
            shots=data.get("shots"),
            repeats=data["repeats"] or 1,
            temperature=data["temperature"],
            max_tokens=data["max_tokens"],
            reasoning_effort=data["reasoning_effort"],
            max_image_bytes=data.get("max_image_bytes"),
            judge_strategy=data.get("judge_strategy") or "auto",
            judges=(JudgeSpec(judge, data["judge_base_url"]),) if judge else (),
            judge_base_url=data.get("judge_base_url") or "",
            budget=read_budget(data),
        )
        return request, Credentials(data["api_key"].strip(), (data.get("judge_api_key") or "").strip())

    def read_outline(self) -> RunRequest:
        """As much of the choices as can be read, for an estimate; what cannot is the default."""
        self.is_valid()
        data: Mapping[str, Any] = getattr(self, "cleaned_data", {})
        return RunRequest(
            benchmark=self.choices.slug,
            model=data.get("model") or gettext("your model"),
            base_url="",
            api_model=data.get("api_model") or "",
            judges=(JudgeSpec(data["judge_model"]),) if data.get("judge_model") else (),
            split=data.get("split") or self.choices.default_split,
            subsets=tuple(data.get("subsets") or ()),
            limit=data.get("limit"),
            shots=data.get("shots"),
            repeats=data.get("repeats") or 1,
            max_tokens=data.get("max_tokens"),
            judge_strategy=data.get("judge_strategy") or "auto",
        )


class PredictionsForm(ChoicesForm):
    """Replies made elsewhere."""

    file = forms.FileField(
        label=_("Predictions file"),
        help_text=_(
            "JSON lines, one reply a line, plain or as .gz or .zip; at most 64 MiB. It is checked whole first."
        ),
    )

    def __init__(self, choices: Choices, benchmarks: list[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().__init__(choices, benchmarks, *args, **kwargs)
        if len(choices.subsets) > 1:
            named = [(subset.slug, say_field(subset.title)) for subset in choices.subsets]
            self.fields["subset"] = forms.ChoiceField(
                label=_("Subset"),
                required=False,
                choices=[("", _("all")), *named],
                help_text=_("Where the file's ids are those of one subset."),
            )
        if choices.slug == "phybench":
            self.fields["file"].help_text = _(
                "JSON lines, one reply a line, or the solutions or evaluation file of PHYBench's own pipeline, plain "
                "or as .gz or .zip; at most 64 MiB. It is checked whole first."
            )
        self.order_fields(["model", "organisation", "benchmark", "split", "subset", "file"])

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_UPLOAD_BYTES:
            raise forms.ValidationError(gettext("The file is larger than 64 MiB: pack it with gzip."))
        return file


class RetryForm(forms.Form):
    """The keys once more, as they were deleted when the run ended."""

    api_key = forms.CharField(label=_("Key"), required=False, max_length=4000, widget=SecretInput())
    judge_api_key = forms.CharField(label=_("Own judge: key"), required=False, max_length=4000, widget=SecretInput())

    def read_credentials(self) -> Credentials:
        self.full_clean()
        data = self.cleaned_data
        return Credentials((data.get("api_key") or "").strip(), (data.get("judge_api_key") or "").strip())
