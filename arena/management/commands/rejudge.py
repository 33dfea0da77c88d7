"""Judge old replies again with another judge or scorer, beside the old column; only what is missing is bought."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.commands import BAD_INPUT, UNSCORED, ArenaCommand, exit_with, find_run
from arena.errors import Refused
from arena.llm.call import Target
from arena.management.commands.evaluate import read_key, read_pairs
from arena.models import Benchmark, Run, Scorer
from arena.services.budgets import Meter
from arena.services.catalog import get_adapter
from arena.services.rescoring import Buying, rejudge_run
from arena.services.runs import Credentials, check_base_url
from arena.services.scorers import JudgeSpec, choose_scorer
from arena.services.seats import judge_targets, seat_targets


class Command(ArenaCommand):
    help = "Judge a benchmark's finished runs (or one) again. Exit 3 where replies stay without a verdict."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--run", default="")
        parser.add_argument("--scorer", default="", metavar="NAME[@VERSION]|DIGEST", help="default: the current scorer")
        parser.add_argument("--scorer-param", action="append", default=[], metavar="KEY=VALUE")
        parser.add_argument("--judge-model", action="append", default=[], metavar="M")
        parser.add_argument("--judge-base-url", default="")
        parser.add_argument("--judge-api-key-env", default="", metavar="VAR")
        parser.add_argument("--judge-param", action="append", default=[], metavar="KEY=VALUE")
        parser.add_argument("--concurrency", type=int, default=16)
        parser.add_argument("--budget-tokens", type=int)
        parser.add_argument("--budget-usd", type=float)

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = Benchmark.objects.filter(slug=get_adapter(options["slug"]).slug).first()
        if benchmark is None:
            raise Refused("benchmark", f"{options['slug']} is not imported yet")
        scorer = _choose(benchmark, options)
        meter = Meter({"tokens": options["budget_tokens"], "usd": options["budget_usd"]})
        unscored = 0
        for run in _runs(benchmark, options["run"]):
            buying = Buying(_targets(run, scorer, options), meter, options["concurrency"])
            done = rejudge_run(run, scorer, buying, inline=True)
            unscored += done.unscored
            self.stdout.write(
                f"run {run.uuid}: {done.replies} replies, {done.judgments} new judgments by {scorer} "
                f"({scorer.digest[:12]}), {done.unscored} unscored {done.stop_reason}".rstrip()
            )
        exit_with(UNSCORED if unscored or meter.reason else 0)


def _choose(benchmark: Benchmark, options: dict[str, Any]) -> Scorer:
    if options["judge_model"]:
        if not options["judge_base_url"]:
            raise CommandError("--judge-base-url is needed with --judge-model", returncode=BAD_INPUT)
        check_base_url("judge-base-url", options["judge_base_url"])
        params = read_pairs("judge-param", options["judge_param"])
        return choose_scorer(
            get_adapter(benchmark.slug),
            name=options["scorer"],
            judges=[JudgeSpec(model, options["judge_base_url"], params) for model in options["judge_model"]],
            params=read_pairs("scorer-param", options["scorer_param"]),
        )
    if options["scorer"]:
        rows = Scorer.objects.filter(params__benchmark=benchmark.slug, digest__startswith=options["scorer"])
        if len(rows) != 1:
            raise Refused("scorer", "give the first characters of one scorer's digest, or name a judge")
        return rows[0]
    if benchmark.scorer is None:
        raise Refused("scorer", f"{benchmark.slug} has no current scorer: name a judge")
    return benchmark.scorer


def _runs(benchmark: Benchmark, uuid: str) -> list[Run]:
    runs = Run.objects.filter(revision__benchmark=benchmark, state=Run.State.FINISHED)
    runs = runs.select_related("scorer", "revision__benchmark", "judge_endpoint").order_by("pk")
    if not uuid:
        return list(runs)
    found = list(runs.filter(pk=find_run(uuid).pk))
    if not found:
        raise Refused("run", f"run {uuid} is no finished run of {benchmark.slug}")
    return found


def _targets(run: Run, scorer: Scorer, options: dict[str, Any]) -> dict[int, Target]:
    key = read_key("judge-api-key-env", options["judge_api_key_env"])
    judges = list(scorer.judges.all())
    if options["judge_base_url"]:
        return {judge.pk: Target(options["judge_base_url"], judge.model, key) for judge in judges}
    return seat_targets(run.revision.benchmark, judges) or judge_targets(run, judges, Credentials("", key))
