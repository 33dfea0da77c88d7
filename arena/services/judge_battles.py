"""Battles fought before an LLM judge: both orders are asked, and a win counts only if it holds both ways.

The judge reads what a person would: masked replies and no names, with the reference answer. Its words are bought once
(JudgeReply, purpose `winner`); a call or verdict that fails is a JudgeError and leaves the battle without a vote.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from arena.errors import Refused
from arena.llm.call import CallFailed, Completion, Target
from arena.llm.client import ChatClient
from arena.llm.messages import request_digest
from arena.models import Answer, Battle, Benchmark, Judge, JudgeError, JudgeReply, Pool, Problem, Vote
from arena.security import url_guard
from arena.services.battles import get_battle, shown_texts
from arena.services.billing import billed
from arena.services.keys import key_of
from arena.services.pairing import Filters, find_match, pairing_of
from arena.services.panels import judge_params, make_fence
from arena.services.scorers import digest_of
from arena.services.store import Writer
from arena.services.texts import clean_json, clean_text
from arena.services.vote_formats import hold_both_ways
from arena.services.voters import hash_voter
from arena.signals import votes_changed
from scoring.errors import VerdictError
from scoring.judge import OWN_TEMPLATES, Purpose, build_message, parse_verdict

ATTEMPTS = 3
MOST_BATTLES = 5000


@dataclass(frozen=True, slots=True)
class JudgePlace:
    """Who judges and where."""

    model: str
    base_url: str
    api_key: str = ""


@dataclass(slots=True)
class JudgedBattles:
    """What a round came to. flipped: the winner changed with the sides, so neither won. failed: no verdict was had."""

    drawn: int = 0
    wins: int = 0
    ties: int = 0
    flipped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _Game:
    """One battle with all that the judge reads. texts: masked, a first."""

    battle: Battle
    texts: tuple[str, str]
    question: str
    reference: str


def find_place(benchmark: Benchmark) -> JudgePlace:
    """The benchmark's own judge. Raises Refused where it has none."""
    endpoint = benchmark.judge_endpoint
    if endpoint is None:
        raise Refused("judge-base-url", f"{benchmark.slug} has no judge of its own: name one")
    judge = benchmark.scorer.judges.first() if benchmark.scorer else None
    return JudgePlace(judge.model if judge else endpoint.api_model, endpoint.base_url, key_of(endpoint))


def judge_battles(
    benchmark: Benchmark,
    place: JudgePlace | None = None,
    *,
    limit: int = 50,
    concurrency: int = 8,
    inline: bool = False,
) -> JudgedBattles:
    """Draw up to `limit` battles that this judge has not had and let it judge them. Raises Refused, UrlRefused."""
    if not 1 <= limit <= MOST_BATTLES:
        raise Refused("limit", f"{limit} is outside 1..{MOST_BATTLES}")
    place = place or find_place(benchmark)
    judge = _get_judge(place)
    games = _draw_games(benchmark, judge, limit)
    report = JudgedBattles(drawn=len(games))
    if not games:
        return report
    outcomes = async_to_sync(_judge_all)(games, judge, place, concurrency)
    votes = []
    for game, winners in zip(games, outcomes, strict=True):
        if winners is None:
            report.failed += 1
            continue
        votes.append(_vote(game.battle, judge, winners))
        report.flipped += winners[0] != winners[1]
        report.ties += votes[-1].outcome == "tie"
        report.wins += votes[-1].outcome != "tie"
    Vote.objects.bulk_create(votes, ignore_conflicts=True)
    votes_changed.send(sender=Vote, pools=[Pool.JUDGE], inline=inline)
    return report


def _get_judge(place: JudgePlace) -> Judge:
    """The judge's row: model and prompt make its identity."""
    prompt = hashlib.sha256(OWN_TEMPLATES[Purpose.WINNER].encode()).hexdigest()
    digest = digest_of({"model": place.model, "params": {}, "prompt": prompt})
    defaults = {"model": place.model, "prompt_sha256": prompt, "endpoint_host": urlsplit(place.base_url).hostname or ""}
    return Judge.objects.get_or_create(digest=digest, defaults=defaults)[0]


def _voter(judge: Judge) -> str:
    return hash_voter("judge", judge.digest)


def _draw_games(benchmark: Benchmark, judge: Judge, limit: int) -> list[_Game]:
    """Battles by the same rules as for people, each pair on each problem once a judge."""
    had = Vote.objects.filter(voter=_voter(judge)).values_list(
        "battle__entrant_a", "battle__entrant_b", "battle__problem"
    )
    taken = {pairing_of(*row) for row in had}
    games: list[_Game] = []
    for number in range(limit):
        seed = hashlib.sha256(f"judge:{judge.digest}:{len(taken)}:{number}".encode()).hexdigest()
        match = find_match(
            Filters(benchmark=benchmark.slug), random.Random(seed), taken=frozenset(taken), origin=Battle.Origin.JUDGE
        )
        if match is None:
            break
        taken.add(match.pairing)
        battle = get_battle(match, Battle.Origin.JUDGE, seed)
        texts = match.leaks_a.text, match.leaks_b.text
        if battle.reply_a_id != match.reply_a.pk:
            texts = shown_texts(battle)
        games.append(_Game(battle, texts, _question(match.problem), _reference(match.problem.pk)))
    return games


def _question(problem: Problem) -> str:
    choices = "\n".join(f"{label}. {text}" for label, text in problem.choices)
    return "\n\n".join(part for part in (problem.context, problem.statement, choices) if part.strip())


def _reference(problem_id: int) -> str:
    answers = Answer.objects.filter(problem=problem_id).order_by("position")
    return "\n".join(f"{answer.value} {answer.unit}".strip() for answer in answers if answer.value.strip())


async def _judge_all(
    games: Sequence[_Game], judge: Judge, place: JudgePlace, concurrency: int
) -> list[tuple[str, str] | None]:
    target = Target(place.base_url, place.model, place.api_key)
    allowlist = url_guard.parse_allowlist(settings.ENDPOINT_ALLOWLIST)
    client = ChatClient(target, judge_params(judge), concurrency=concurrency, allowlist=allowlist)
    async with Writer() as writer, client:
        return list(await asyncio.gather(*(_judge(game, judge, client, writer) for game in games)))


async def _judge(game: _Game, judge: Judge, client: ChatClient, writer: Writer) -> tuple[str, str] | None:
    """The winner in each order, in the battle's own a and b; None where one of the two could not be had."""
    straight, swapped = await asyncio.gather(
        _ask(game, judge, client, writer, is_swapped=False), _ask(game, judge, client, writer, is_swapped=True)
    )
    if straight is None or swapped is None:
        return None
    return straight, {"a": "b", "b": "a", "tie": "tie"}[swapped]


async def _ask(game: _Game, judge: Judge, client: ChatClient, writer: Writer, *, is_swapped: bool) -> str | None:
    """The winner as the judge names it: `a` is the reply it read first."""
    first, second = game.texts[::-1] if is_swapped else game.texts
    slots = {"problem": game.question, "reference_answer": game.reference, "reply_a": first, "reply_b": second}
    target = f"b{game.battle.reply_b_id}"
    fence = make_fence(f"{first}\0{second}", judge.digest, Purpose.WINNER, target, int(is_swapped))
    message = build_message(Purpose.WINNER, OWN_TEMPLATES[Purpose.WINNER], slots, fence=fence)
    messages = [{"role": "user", "content": message}]
    key = {
        "reply_id": game.battle.reply_a_id,
        "judge": judge,
        "purpose": Purpose.WINNER.value,
        "target": target,
        "request_digest": request_digest(messages, judge_params(judge), judge.model),
        "repeat": 0,
    }
    texts = await sync_to_async(lambda: list(JudgeReply.objects.filter(**key).order_by("attempt")))()
    for row in texts:
        if winner := _read(row.text, game):
            return winner
    for attempt in range(len(texts) + 1, len(texts) + ATTEMPTS + 1):
        try:
            completion = await client.complete(messages)
        except CallFailed as failed:
            failure = failed.failure
            writer.put(_failure(key, attempt, failure.kind, failure.message, **billed(failure)))
            return None
        writer.put(_bought(key, attempt, completion))
        try:
            return parse_verdict(Purpose.WINNER, completion.text, candidate=list(game.texts)).winner
        except VerdictError as error:
            writer.put(_failure(key, attempt, error.kind, str(error)))
    return None


def _failure(key: Mapping[str, Any], attempt: int, kind: str, message: str, **bill: Any) -> JudgeError:
    """Never final: a battle without a verdict leaves the reply's own scores as they are."""
    return JudgeError(**key, attempt=attempt, kind=kind, message=message[:1000], is_final=False, **bill)


def _bought(key: Mapping[str, Any], attempt: int, completion: Completion) -> JudgeReply:
    return JudgeReply(
        **key,
        attempt=attempt,
        text=clean_text(completion.text),
        latency_ms=round(completion.latency_ms),
        **billed(completion),
        raw=clean_json(completion.raw),
    )


def _read(text: str, game: _Game) -> str:
    try:
        return parse_verdict(Purpose.WINNER, text, candidate=list(game.texts)).winner
    except VerdictError:
        return ""


def _vote(battle: Battle, judge: Judge, winners: tuple[str, str]) -> Vote:
    return Vote(
        battle=battle,
        voter=_voter(judge),
        pool=Pool.JUDGE,
        outcome=hold_both_ways(*winners),
        games=",".join(winners),
    )
