"""Scorers by name: which rule, policy and judges stand behind a number. Rows are found by digest, never changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from arena.benchmarks.base import Adapter, read_prompt
from arena.errors import Refused
from arena.llm.call import CallParams
from arena.models import Benchmark, Judge, Run, Scorer
from arena.services.audit import record_event
from scoring.judge import OWN_TEMPLATES, Purpose, build_message
from scoring.reference import Criterion

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to score the replies of one benchmark. policy: see docs/scoring-rules.md."""

    benchmark: str
    policy: str
    version: str = VERSION


# The first rule of each benchmark is its default.
RULES: dict[str, Rule] = {
    "hipho-steps": Rule("hipho", "corrected", "2"),
    "hipho-official": Rule("hipho", "official", "2"),
    "phyx-units": Rule("phyx_oe", "corrected", "2"),
    "phyx-official": Rule("phyx_oe", "official"),
    "phyx-rule": Rule("phyx_oe", "official-rule"),
    "phyx-mc": Rule("phyx_mc", "corrected"),
    "phybench-eed": Rule("phybench", "corrected", "2"),
    "phybench-official": Rule("phybench", "official"),
    "arc-letter": Rule("arc_indic", "corrected"),
    "coin-flip": Rule("coin_flip", "corrected"),
    "coin-flip-official": Rule("coin_flip", "official"),
}

# What a judge of each kind is sent, official texts and purposes; all of it is part of the judge's identity.
JUDGE_PROMPTS: dict[str, tuple[tuple[str, ...], tuple[Purpose, ...]]] = {
    "hipho": (
        ("hipho_step_judge.txt", "hipho_answer_judge.txt"),
        (Purpose.CRITERION, Purpose.SCHEME, Purpose.ANSWER),
    ),
    "phyx_oe": (("phyx_oe_judge.txt",), (Purpose.VERDICT,)),
    "process": (("phybench_process_judge.txt",), (Purpose.PROCESS,)),
    "error_class": ((), (Purpose.ERROR_CLASS,)),
}
JUDGE_FIELDS = frozenset({"temperature", "max_tokens", "seed", "timeout_s", "reasoning_effort"})

# Scorer parameters of a judged benchmark, with their defaults.
JUDGE_DEFAULTS: dict[str, Any] = {
    "calls": "criterion",  # or "scheme": all criteria of a scheme in one call
    "verdict_attempts": 3,  # fresh calls until a verdict can be read
    "judge_repeats": 1,
    "combine": "mean",  # of judges and repeats: mean, median, majority
    "solution": "content",  # or "reasoning+content"
    "figures": False,
}


PARAM_CHOICES: dict[str, tuple[Any, ...]] = {
    "calls": ("criterion", "scheme"),
    "verdict_attempts": tuple(range(1, 11)),
    "judge_repeats": tuple(range(1, 17)),
    "combine": ("mean", "median", "majority"),
    "solution": ("content", "reasoning+content"),
    "figures": (False, True),
}
# Policies that a judge completes; all others are by rule alone.
JUDGED_POLICIES = {"hipho": ("corrected", "official"), "phyx_oe": ("corrected", "official")}


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """A judge as a person names it. params: temperature, max_tokens, ..."""

    model: str
    base_url: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


def digest_of(value: object) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def rule_of(name: str, benchmark: str) -> tuple[str, Rule]:
    """The rule called `name` (or `name@version`), or the benchmark's default. Raises Refused."""
    known = {key: rule for key, rule in RULES.items() if rule.benchmark == benchmark}
    if not name:
        return next(iter(known.items()))
    bare, _at, version = name.partition("@")
    rule = known.get(bare)
    if rule is None:
        raise Refused(
            "scorer",
            _("unknown scorer %(scorer)r for %(benchmark)s; known: %(known)s")
            % {"scorer": name, "benchmark": benchmark, "known": ", ".join(known)},
        )
    if version and version != rule.version:
        raise Refused(
            "scorer",
            _("%(scorer)s has version %(version)s, not %(wanted)r")
            % {"scorer": bare, "version": rule.version, "wanted": version},
        )
    return bare, rule


def get_judge(spec: JudgeSpec, prompts: str) -> Judge:
    """The judge's row; model, parameters and all that it is sent make its identity, the host does not.

    prompts: a key of JUDGE_PROMPTS. Raises Refused for parameters that no call can carry.
    """
    prompt_sha256 = hashlib.sha256("\0".join(judge_texts(prompts)).encode()).hexdigest()
    params = _judge_params(spec)
    digest = digest_of({"model": spec.model, "params": params, "prompt": prompt_sha256})
    judge, _is_new = Judge.objects.get_or_create(
        digest=digest,
        defaults={
            "model": spec.model,
            "params": params,
            "prompt_sha256": prompt_sha256,
            "endpoint_host": urlsplit(spec.base_url).hostname or "",
        },
    )
    return judge


def name_judge_texts(prompts: str) -> list[tuple[str, str]]:
    """The official texts that such a judge is sent, then our own with the instructions that close them; by name."""
    files, purposes = JUDGE_PROMPTS.get(prompts, ((), ()))
    own = [(purpose.value, OWN_TEMPLATES[purpose]) for purpose in purposes if purpose in OWN_TEMPLATES]
    closings = [
        (f"+ {purpose.value}", build_message(purpose, "", {}, fence="", criteria=[Criterion("", 1.0)]))
        for purpose in purposes
    ]
    return [*((name, read_prompt(name)) for name in files), *own, *closings]


def judge_texts(prompts: str) -> list[str]:
    return [text for _name, text in name_judge_texts(prompts)]


def _judge_params(spec: JudgeSpec) -> dict[str, Any]:
    """What the judge's calls are made with; a name that is no field of ours is a field of the request body."""
    given = dict(spec.params)
    extra = {**given.pop("extra", {}), **{name: given.pop(name) for name in set(given) - JUDGE_FIELDS}}
    try:
        CallParams(**given, extra=extra)
        for name in ("temperature", "max_tokens", "seed", "timeout_s"):
            float(given.get(name) or 0)
    except (TypeError, ValueError) as error:
        raise Refused("judge-param", str(error)) from error
    return {**given, "extra": extra} if extra else given


def get_scorer(name: str, rule: Rule, params: Mapping[str, Any], judges: Sequence[Judge] = ()) -> Scorer:
    """The scorer's row for exactly these parameters and judges."""
    frozen = {"benchmark": rule.benchmark, "policy": rule.policy, **params}
    digest = digest_of(
        {"name": name, "version": rule.version, "params": frozen, "judges": sorted(judge.digest for judge in judges)}
    )
    scorer, is_new = Scorer.objects.get_or_create(
        digest=digest, defaults={"name": name, "version": rule.version, "params": frozen}
    )
    if is_new and judges:
        scorer.judges.set(judges)
    return scorer


def choose_scorer(
    adapter: Adapter,
    *,
    name: str = "",
    strategy: str = "auto",
    judges: Sequence[JudgeSpec] = (),
    params: Mapping[str, Any] | None = None,
) -> Scorer:
    """The scorer that these choices mean. Raises Refused where the benchmark cannot be scored that way."""
    bare, rule = rule_of(name, adapter.slug)
    if adapter.judge == "none":
        return get_scorer(bare, rule, {})
    if strategy == "rule":
        if adapter.judge == "required":
            raise Refused(
                "judge-strategy",
                _("%(benchmark)s has marking schemes, which no rule can grade: it needs a judge")
                % {"benchmark": adapter.slug},
            )
        judges = ()
    elif not is_judged(rule):
        if judges or strategy == "llm":
            raise Refused("scorer", _("%(scorer)s is a rule alone and asks no judge") % {"scorer": bare})
    elif not judges and (adapter.judge == "required" or strategy == "llm"):
        raise Refused(
            "judge-model",
            _("%(benchmark)s is graded by a judge: name one with --judge-model") % {"benchmark": adapter.slug},
        )
    checked = check_params(params or {})
    rows = [get_judge(spec, adapter.slug) for spec in judges]
    if len({row.pk for row in rows}) < len(rows):
        raise Refused("judge-model", _("a judge is named twice; judge_repeats asks one several times"))
    return get_scorer(bare, rule, checked if rows else {}, rows)


def vary_scorer(adapter: Adapter, scorer: Scorer, name: str, params: Mapping[str, Any] | None = None) -> Scorer:
    """The same judges under another rule or other parameters. Raises Refused."""
    bare, rule = rule_of(name or scorer.name, adapter.slug)
    kept = {key: value for key, value in scorer.params.items() if key in JUDGE_DEFAULTS}
    if not is_judged(rule):
        return get_scorer(bare, rule, {})
    judges = list(scorer.judges.all())
    return get_scorer(bare, rule, check_params({**kept, **(params or {})}) if judges else {}, judges)


def as_coded(adapter: Adapter, scorer: Scorer) -> Scorer:
    """The scorer in the version that this code has: itself, or after an upgrade the same rule with the same judges."""
    rule = RULES.get(scorer.name)
    return scorer if rule is None or rule.version == scorer.version else vary_scorer(adapter, scorer, "")


def is_judged(rule: Rule) -> bool:
    return rule.policy in JUDGED_POLICIES.get(rule.benchmark, ())


def check_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a judged scorer, the defaults filled in. Raises Refused for a name or value that is none."""
    if unknown := set(params) - set(JUDGE_DEFAULTS):
        raise Refused(
            "scorer-param",
            _("unknown: %(unknown)s; known: %(known)s")
            % {"unknown": ", ".join(sorted(unknown)), "known": ", ".join(JUDGE_DEFAULTS)},
        )
    filled = {**JUDGE_DEFAULTS, **params}
    for name, allowed in PARAM_CHOICES.items():
        if filled[name] not in allowed or isinstance(filled[name], bool) != isinstance(JUDGE_DEFAULTS[name], bool):
            raise Refused(
                "scorer-param",
                _("%(name)s: %(value)r is none of %(known)s")
                % {"name": name, "value": filled[name], "known": ", ".join(map(str, allowed))},
            )
    return filled


def ensure_default_scorer(benchmark: Benchmark, adapter: Adapter) -> None:
    """A benchmark scored by rule ranks by its default rule from the start; a judged one waits for its judge."""
    if benchmark.scorer_id is None and adapter.judge == "none":
        benchmark.scorer = choose_scorer(adapter)
        benchmark.save(update_fields=["scorer"])
    elif benchmark.scorer_id is None and adapter.judge == "optional":
        benchmark.scorer = choose_scorer(adapter, strategy="rule")
        benchmark.save(update_fields=["scorer"])


def set_current_scorer(benchmark: Benchmark, scorer: Scorer) -> None:
    """Makes `scorer` the one that ranks; a command's deed, nobody's. Moving back is the same call."""
    before = benchmark.scorer
    if before != scorer:
        benchmark.scorer = scorer
        benchmark.save(update_fields=["scorer"])
        digests = ({"scorer": found.digest if found else ""} for found in (before, scorer))
        record_event(None, "current-scorer", f"benchmark:{benchmark.slug}", *digests, benchmark)


def find_scorer_for_rescoring(adapter: Adapter, run: Run, name: str) -> Scorer:
    """The scorer called `name` with the run's own judges, so that their stored replies can be read again.

    Without a name, what ranks by rule alone or what the run had, in the version of this code.
    """
    if name:
        return vary_scorer(adapter, run.scorer, name)
    ranking = run.revision.benchmark.scorer
    is_rule_alone = ranking is not None and not ranking.judges.exists()
    return as_coded(adapter, ranking if is_rule_alone else run.scorer)
