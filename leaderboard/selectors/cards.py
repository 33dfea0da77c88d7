"""The benchmark card: what it asks, of what its data consist, how to use it. All counts come from the imported data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from arena.benchmarks import BENCHMARKS
from arena.benchmarks.base import Adapter, read_prompt
from leaderboard.published_claims import CLAIMS, Claim
from leaderboard.selectors.bibtex import make_entry
from leaderboard.selectors.catalog import Place, localised
from leaderboard.selectors.fields import column_title
from leaderboard.selectors.formats import metric_label
from leaderboard.selectors.language_names import NATIVE, say_language
from leaderboard.sentences import say_sentence

# `Clark et al. A title. arXiv:1803.05457, 2018.`, without what is not known
CITATION = re.compile(r"(?:([^.]+ et al)\. )?(.+?)\.? arXiv:(\d{4}\.\d{4,5})(?:, (\d{4}))?\.?")
# Of evalscope 1.x: the data sets it knows under these names. PHYBench is not among them.
EVALSCOPE = {name: name for name in ("hipho", "phyx_oe", "phyx_mc", "arc_indic", "coin_flip")}


@dataclass(frozen=True, slots=True)
class LengthRow:
    """Samples and prompt lengths of one subset, and as published where known; `agrees` None: nothing to compare."""

    name: str
    title: str
    n: str
    mean: str
    least: str
    most: str
    claimed: str
    agrees: bool | None


@dataclass(frozen=True, slots=True)
class Fact:
    label: str
    value: str
    claimed: str = ""
    agrees: bool | None = None


@dataclass(frozen=True, slots=True)
class Language:
    """name: in the reader's language."""

    code: str
    name: str
    native: str


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """A command to copy."""

    title: str
    command: str


@dataclass(frozen=True, slots=True)
class Card:
    place: Place
    title: str
    summary: str
    task: tuple[Fact, ...]
    links: tuple[tuple[str, str], ...]
    licence: str
    bibtex: str
    tags: tuple[str, ...]
    languages: tuple[Language, ...]
    metrics: tuple[str, ...]
    made: tuple[str, ...]
    lengths: tuple[LengthRow, ...]
    figures: tuple[Fact, ...]
    claim_source: str
    claim_split: str
    templates: tuple[Template, ...]
    sample: Mapping[str, Any]
    usage: tuple[Usage, ...]


def read_card(place: Place, facts: Mapping[str, Any]) -> Card:
    """facts: of the board's state."""
    benchmark, adapter = place.benchmark, BENCHMARKS[place.benchmark.adapter]
    card = facts.get("card") or {}
    claim = CLAIMS.get(benchmark.slug)
    comparable = claim if claim and not place.revision.is_sample and claim.split == place.split else None
    codes = facts.get("languages", ())
    return Card(
        place=place,
        title=localised(benchmark, "title"),
        summary=localised(benchmark, "summary"),
        task=_task(place, adapter, facts),
        links=tuple((_link_name(name), url) for name, url in sorted(benchmark.links.items()) if _is_web(url)),
        licence=say_sentence(benchmark.licence),
        bibtex=make_bibtex(benchmark.slug, benchmark.citation),
        tags=tuple(benchmark.tags),
        languages=tuple(Language(code, say_language(code), NATIVE.get(code, code)) for code in codes),
        metrics=tuple(f"{metric_label(name)} ({name})" for name in adapter.metrics),
        made=_made(benchmark.slug),
        lengths=_lengths(facts, card, comparable),
        figures=_figures(card.get("figures") or {}, comparable),
        claim_source=say_sentence(claim.source) if comparable and claim else "",
        claim_split=comparable.split if comparable else "",
        templates=tuple(Template(name, read_prompt(name)) for name in adapter.prompt_files),
        sample=card.get("sample") or {},
        usage=usage_of(adapter),
    )


def _is_web(url: str) -> bool:
    return url.startswith(("https://", "http://"))


def _link_name(name: str) -> str:
    words = {"paper": _("Paper"), "code": _("Code"), "data": _("Data set"), "board": _("Official board")}
    return words.get(name, name)


def _task(place: Place, adapter: Adapter, facts: Mapping[str, Any]) -> tuple[Fact, ...]:
    judged = {"required": _("a judge model is needed"), "optional": _("by rule, a judge where the rule says no")}
    return (
        Fact(_("Name in commands"), adapter.slug),
        Fact(_("Splits"), ", ".join(place.splits)),
        Fact(_("Shots by default"), str(adapter.default_shots)),
        Fact(_("Headline metric"), f"{metric_label(adapter.headline_metric)} ({adapter.headline_metric})"),
        Fact(_("Grading"), judged.get(adapter.judge, _("by rule alone"))),
        Fact(_("Most output tokens by default"), str(adapter.max_tokens)),
        Fact(_("Input"), _("text and figures") if facts.get("n_figures") else _("text")),
    )


def _lengths(facts: Mapping[str, Any], card: Mapping[str, Any], claim: Claim | None) -> tuple[LengthRow, ...]:
    titles = {column["slug"]: column_title(column) for column in facts.get("columns", ())}
    rows = []
    if whole := card.get("prompts"):
        rows.append(_length_row("", _("All"), whole, claim.lengths if claim else None, claim.n if claim else None))
    measured = card.get("subsets", {})  # stored as JSON, whose keys have no order of ours
    if len(measured) > 1:
        for slug, title in titles.items():
            if slug in measured:
                rows.append(_length_row(slug, title, measured[slug], claim.subsets.get(slug) if claim else None))
    return tuple(rows)


def _length_row(
    slug: str, title: str, group: Mapping[str, Any], claimed: tuple[int, float, int, int] | None, n: int | None = None
) -> LengthRow:
    """n: the count alone, where no more is published."""
    own = (group["n"], round(group["mean"], 2), group["min"], group["max"])
    said = f"{claimed[0]} · {claimed[1]:g} · {claimed[2]} / {claimed[3]}" if claimed else str(n or "")
    return LengthRow(
        slug,
        title,
        str(own[0]),
        print_mean(group["mean"]),
        str(own[2]),
        str(own[3]),
        said,
        own == claimed if claimed else own[0] == n if n else None,
    )


def print_mean(mean: float) -> str:
    """Two places, as the cards print them, without trailing zeros: `1721.2`."""
    return f"{mean:.2f}".rstrip("0").rstrip(".")


def _figures(figures: Mapping[str, Any], claim: Claim | None) -> tuple[Fact, ...]:
    if not figures.get("n"):
        return ()
    said = claim.figures if claim else None
    span = f"{figures['smallest']} – {figures['largest']}"
    return (
        Fact(
            _("Figures"),
            str(figures["n"]),
            str(said[0]) if said else "",
            None if said is None else said[0] == figures["n"],
        ),
        Fact(_("Different files"), str(figures["files"])),
        Fact(
            _("An illustrated sample has"),
            _("%(least)d to %(most)d, %(mean)s on average")
            % {"least": figures["min"], "most": figures["max"], "mean": print_mean(figures["mean"])},
        ),
        Fact(_("Over all samples"), print_mean(figures["mean_over_all"])),
        Fact(
            _("Size in pixels, by area"),
            span,
            f"{said[1]} – {said[2]}" if said else "",
            None if said is None else (said[1], said[2]) == (figures["smallest"], figures["largest"]),
        ),
        Fact(_("Formats"), ", ".join(figures["formats"])),
    )


def usage_of(adapter: Adapter) -> tuple[Usage, ...]:
    """Commands for this benchmark with the options it really has."""
    slug = adapter.slug
    run = f"python manage.py evaluate {slug} --model NAME --base-url URL --api-key-env API_KEY"
    if adapter.judge == "required":
        run += " --judge-model JUDGE --judge-base-url URL"
    commands = [
        Usage(_("Import the data"), f"python manage.py import_benchmark {slug} --path PATH"),
        Usage(_("Put it to a model (remove --limit for the whole)"), f"{run} --limit 10"),
        Usage(
            _("Score replies you already have"),
            f"python manage.py import_run --benchmark {slug} --model NAME --path replies.jsonl",
        ),
    ]
    if slug in EVALSCOPE:
        commands.append(
            Usage(
                "evalscope",
                "evalscope eval --model YOUR_MODEL --api-url OPENAI_API_COMPAT_URL --api-key EMPTY_TOKEN "
                f"--datasets {EVALSCOPE[slug]} --limit 10",
            )
        )
    return tuple(commands)


def _made(slug: str) -> tuple[str, ...]:
    """How the data came to be, as their sources say."""
    words = {
        "hipho": (
            _("Papers of olympiads held in 2024 and 2025, with their official marking schemes and reference answers."),
            _("English papers are asked in English, the papers of CPhO and PanMechanics in Chinese."),
        ),
        "phyx_oe": (
            _("University-level questions, each with a figure that holds what the text does not say."),
            _("Input style Text-DeRedundancy: the simplified description, the question and the figure."),
        ),
        "phyx_mc": (_("The same questions as PhyX open-ended, with four options each."),),
        "phybench": (
            _("Original problems written and checked by students of physics; the answers of 400 of 500 are withheld."),
        ),
        "arc_indic": (
            _("ARC-Challenge in English and its translations into ten Indian languages, question by question."),
        ),
        "coin_flip": (
            _("Made by a programme: a coin, a row of people who flip it or do not, and one question at the end."),
        ),
    }
    return words.get(slug, ())


def make_bibtex(slug: str, citation: str) -> str:
    """The citation as an entry; one that is an entry already stays."""
    if not citation or citation.lstrip().startswith("@"):
        return citation
    found = CITATION.fullmatch(citation)
    if found is None:
        return make_entry(slug, {"title": citation})
    author, title, number, year = found.groups(default="")
    fields = {
        "author": author.replace(" et al", " and others"),
        "title": title,
        "eprint": number,
        "archivePrefix": "arXiv",
        "year": year or f"20{number[:2]}",
    }
    return make_entry(slug, fields)
