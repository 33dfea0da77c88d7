"""Votes of other arenas, record by record: what each format says, and what in it cannot be a vote.

Formats (spec: Chatbot Arena battles and raw log lines, FastChat llm_judge pairs, Vicuna 2023 reviews, Arena-Hard
judgments, AlpacaEval annotations, PandaLM, FairEval verdict lists). A pair of games with sides swapped is one vote:
a win counts only if it holds both ways. An address in a log line is not read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]
A, B, TIE, BOTH_BAD = "a", "b", "tie", "both_bad"


class BadRecord(ValueError):
    """Why one record is no vote; the rest of the file is not touched by it."""


class NoVerdict(Exception):
    """The judge gave none (an error, an unreadable reply): counted, never a tie."""


@dataclass(frozen=True, slots=True)
class RawVote:
    """One vote as a file tells it. model_a stood left (first). games: the winner in each order, of two games.

    voter: who voted, where the file says so ("" = unknown: every such vote is its own voter). text_a, text_b: replies.
    """

    question: str
    model_a: str
    model_b: str
    outcome: str
    voter: str = ""
    by_judge: bool = False
    language: str = ""
    field: str = ""
    text_a: str = ""
    text_b: str = ""
    games: str = ""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What stands beside the file: model names of Vicuna's answers, texts of both, PandaLM's items by index."""

    answers: Mapping[str, tuple[str, str]]  # answer id -> model, text
    items: Mapping[int, Record]  # PandaLM idx -> record
    questions: Mapping[str, str]  # question id -> category


Reader = Callable[[Record, Neighbours], Iterator[RawVote]]


def find_format(record: Record) -> str:
    """The format a record is of, by its keys; empty where it is none."""
    for name, keys in _KEYS.items():
        if all(key in record for key in keys):
            return name
    return ""


def read_record(name: str, record: Record, beside: Neighbours) -> Iterator[RawVote]:
    """The votes in one record. Raises BadRecord, NoVerdict."""
    if not isinstance(record, Mapping):
        raise BadRecord("is no object")
    return READERS[name](record, beside)


def _text(record: Record, key: str, *, needed: bool = True) -> str:
    value = record.get(key)
    if value is None and not needed:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRecord(f"{key}: text is expected, not {_kind(value)}")
    text = str(value)
    if needed and not text.strip():
        raise BadRecord(f"{key} is empty")
    return text


def _kind(value: object) -> str:
    names = {bool: "a boolean", type(None): "nothing", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


def _models(record: Record, one: str, two: str) -> tuple[str, str]:
    a, b = _text(record, one), _text(record, two)
    if a.strip() == b.strip():
        raise BadRecord(f"{one} and {two} are both {a!r}")
    return a, b


def _turns(record: Record, key: str) -> str:
    """The assistant's words of a conversation."""
    turns = record.get(key)
    if not isinstance(turns, list):
        return ""
    return "\n\n".join(
        str(turn.get("content", "")) for turn in turns if isinstance(turn, Mapping) and turn.get("role") == "assistant"
    )


_WINNERS = {"model_a": A, "model_b": B, "tie": TIE, "tie (bothbad)": BOTH_BAD, "bothbad": BOTH_BAD}


def _read_arena(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    a, b = _models(record, "model_a", "model_b")
    winner = _text(record, "winner").strip().lower()
    if winner not in _WINNERS:
        raise BadRecord(f"winner: {winner[:40]!r} is none of {', '.join(_WINNERS)}")
    if record.get("excluded") is True:
        raise BadRecord("was excluded where it comes from")
    voter = _text(record, "judge", needed=False) or _text(record, "judge_hash", needed=False)
    yield RawVote(
        question=_text(record, "question_id") + (f"#{record['turn']}" if record.get("turn") not in (None, 1) else ""),
        model_a=a,
        model_b=b,
        outcome=_WINNERS[winner],
        voter=voter,
        by_judge=bool(voter) and not voter.startswith(("arena_user", "voter")),
        language=_text(record, "language", needed=False),
        field=_text(record, "field", needed=False),
        text_a=_turns(record, "conversation_a"),
        text_b=_turns(record, "conversation_b"),
    )


_LOG_TYPES = {"leftvote": A, "rightvote": B, "tievote": TIE, "bothbad_vote": BOTH_BAD}


def _read_log(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    kind = _text(record, "type")
    if kind not in _LOG_TYPES:
        if kind.endswith("vote"):
            raise BadRecord(f"type: {kind[:40]!r} is none of {', '.join(_LOG_TYPES)}")
        return  # a log also holds chats, shares and flags
    states = record.get("states")
    if not isinstance(states, list) or len(states) != 2 or not all(isinstance(state, Mapping) for state in states):
        raise BadRecord("states: two objects are expected")
    shown = record.get("models")
    names = [
        name if isinstance(name, str) and name.strip() else state.get("model_name")
        for name, state in zip(shown if isinstance(shown, list) and len(shown) == 2 else ("", ""), states, strict=True)
    ]
    a, b = _models({"models[0]": names[0], "models[1]": names[1]}, "models[0]", "models[1]")
    question = states[0].get("conv_id") or record.get("tstamp")
    yield RawVote(str(question or ""), a, b, _LOG_TYPES[kind])


_GAMES = {"model_1": A, "model_2": B, "tie": TIE}


def hold_both_ways(first: str, second: str) -> str:
    """The outcome of two games with sides swapped: a win only if both say so, else a tie."""
    return first if first == second else TIE


def _read_judge_pair(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    a, b = _models(record, "model_1", "model_2")
    games = [_text(record, key).strip().lower() for key in ("g1_winner", "g2_winner")]
    if "error" in games:
        raise NoVerdict
    for key, game in zip(("g1_winner", "g2_winner"), games, strict=True):
        if game not in _GAMES:
            raise BadRecord(f"{key}: {game[:40]!r} is none of {', '.join(_GAMES)}, error")
    judge = record.get("judge")
    outcomes = [_GAMES[game] for game in games]
    yield RawVote(
        question=_text(record, "question_id") + (f"#{record['turn']}" if record.get("turn") not in (None, 1) else ""),
        model_a=a,
        model_b=b,
        outcome=hold_both_ways(*outcomes),
        voter="/".join(str(part) for part in judge) if isinstance(judge, list) else str(judge or "judge"),
        by_judge=True,
        games=",".join(outcomes),
    )


def _read_vicuna(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    score = record["score"]
    if not isinstance(score, list) or len(score) != 2:
        raise BadRecord("score: a list of two numbers is expected")
    for value in score:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadRecord(f"score: {value!r} is no number")
    if min(score) < 0:  # -1 is FastChat's "could not be read"
        raise NoVerdict
    sides = []
    for key in ("answer1_id", "answer2_id"):
        answer = _text(record, key)
        if answer not in beside.answers:
            raise BadRecord(f"{key}: no answer file beside this one holds {answer!r}")
        sides.append(beside.answers[answer])
    (a, text_a), (b, text_b) = sides
    if a == b:
        raise BadRecord(f"answer1_id and answer2_id are both of {a!r}")
    question = _text(record, "question_id")
    yield RawVote(
        question=question,
        model_a=a,
        model_b=b,
        outcome=TIE if score[0] == score[1] else A if score[0] > score[1] else B,
        voter=_text(record, "reviewer_id", needed=False) or "judge",
        by_judge=True,
        field=beside.questions.get(question, ""),
        text_a=text_a,
        text_b=text_b,
    )


_HARD = {"A>>B": A, "A>B": A, "A=B": TIE, "B>A": B, "B>>A": B}


def _read_arena_hard(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    """Game 1 shows the baseline as A, game 2 as B."""
    model, baseline = _models(record, "model", "baseline")
    games = record["games"]
    if not isinstance(games, list) or len(games) != 2:
        raise BadRecord("games: two are expected")
    outcomes = []
    for number, game in enumerate(games, start=1):
        score = game.get("score") if isinstance(game, Mapping) else None
        if score is None:
            raise NoVerdict
        if score not in _HARD:
            raise BadRecord(f"games[{number - 1}].score: {str(score)[:40]!r} is none of {', '.join(_HARD)}")
        outcomes.append(_HARD[score] if number == 1 else {A: B, B: A, TIE: TIE}[_HARD[score]])
    yield RawVote(
        question=_text(record, "uid"),
        model_a=baseline,
        model_b=model,
        outcome=hold_both_ways(*outcomes),
        voter=_text(record, "judge", needed=False) or "judge",
        by_judge=True,
        field=_text(record, "category", needed=False),
        games=",".join(outcomes),
    )


def _read_alpaca(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    """preference 1 is the first, 2 the second, 0 and 1.5 a tie; a weighted one (1.0000001827) the side it is nearer."""
    a, b = _models(record, "generator_1", "generator_2")
    preference = record["preference"]
    if preference is None or (isinstance(preference, float) and math.isnan(preference)):
        raise NoVerdict
    if isinstance(preference, bool) or not isinstance(preference, int | float):
        raise BadRecord(f"preference: a number is expected, not {_kind(preference)}")
    if preference != 0 and not 1 <= preference <= 2:
        raise BadRecord(f"preference: {preference!r} is none of 0, 1 to 2")
    yield RawVote(
        question=_text(record, "instruction"),
        model_a=a,
        model_b=b,
        outcome=TIE if preference in (0, 1.5) else A if preference < 1.5 else B,
        voter=_text(record, "annotator", needed=False) or "annotator",
        by_judge=True,
        field=_text(record, "dataset", needed=False),
        text_a=_text(record, "output_1", needed=False),
        text_b=_text(record, "output_2", needed=False),
    )


_PANDA = {0: TIE, 1: A, 2: B}


def _read_panda(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    """Three people a record. A record with a boolean where a reply belongs was never judged on its text: refused."""
    a, b = _panda_models(record)
    texts = _text(record, "response1", needed=False), _text(record, "response2", needed=False)
    outcomes = {}
    for name in sorted(key for key in record if key.startswith("annotator")):
        value = record[name]
        if isinstance(value, bool) or value not in _PANDA:
            raise BadRecord(f"{name}: {str(value)[:40]!r} is none of 0, 1, 2")
        outcomes[name] = _PANDA[value]
    for name, outcome in outcomes.items():
        yield RawVote(
            question=_text(record, "idx"),
            model_a=a,
            model_b=b,
            outcome=outcome,
            voter=name,
            field=_text(record, "motivation_app", needed=False),
            text_a=texts[0],
            text_b=texts[1],
        )


def _panda_models(record: Record) -> tuple[str, str]:
    names = _text(record, "cmp_key").split("_")
    if len(names) != 2 or names[0] == names[1] or not all(name.strip() for name in names):
        raise BadRecord(f"cmp_key: {record['cmp_key']!r} does not name two models as <model1>_<model2>")
    return names[0], names[1]


def _read_panda_verdict(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    """A judge's verdict on a PandaLM item; the models stand in the item of the same index."""
    index = record["idx"]
    item = beside.items.get(index) if isinstance(index, int) else None
    if item is None:
        raise BadRecord(f"idx: no PandaLM file beside this one holds item {index!r}")
    a, b = _panda_models(item)
    texts = _text(item, "response1", needed=False), _text(item, "response2", needed=False)
    verdict = str(record["gpt_result"]).strip().lower()
    if verdict not in ("1", "2", "tie", "0"):
        raise NoVerdict
    outcome = {"1": A, "2": B}.get(verdict, TIE)
    yield RawVote(str(index), a, b, outcome, "gpt", True, text_a=texts[0], text_b=texts[1])


def _read_verdict_line(record: Record, beside: Neighbours) -> Iterator[RawVote]:
    """FairEval: a line names the winner or TIE; `read_lines` found the two names of the file."""
    a, b, word = record["first"], record["second"], record["verdict"]
    outcome = TIE if word == "TIE" else A if word == a else B
    yield RawVote(str(record["line"]), a, b, outcome, "annotator")


_KEYS: dict[str, tuple[str, ...]] = {
    "arena": ("model_a", "model_b", "winner"),
    "llm-judge": ("model_1", "model_2", "g1_winner", "g2_winner"),
    "vicuna": ("answer1_id", "answer2_id", "score"),
    "arena-hard": ("games", "model", "baseline"),
    "alpaca-eval": ("generator_1", "generator_2", "preference"),
    "pandalm": ("cmp_key", "annotator1"),
    "pandalm-verdicts": ("idx", "gpt_result"),
    "arena-log": ("type", "states"),
    "verdict-lines": ("first", "second", "verdict", "line"),
}
READERS: dict[str, Reader] = {
    "arena": _read_arena,
    "llm-judge": _read_judge_pair,
    "vicuna": _read_vicuna,
    "arena-hard": _read_arena_hard,
    "alpaca-eval": _read_alpaca,
    "pandalm": _read_panda,
    "pandalm-verdicts": _read_panda_verdict,
    "arena-log": _read_log,
    "verdict-lines": _read_verdict_line,
}


def read_lines(lines: Sequence[str]) -> list[Record]:
    """FairEval's list of verdicts as records: one word a line, two models' names and TIE; [] where it is none."""
    words = [line.strip() for line in lines]
    names = sorted({word for word in words if word and word != "TIE"})
    if len(names) != 2 or any(" " in name or "{" in name for name in names):
        return []
    first, second = names
    return [
        {"first": first, "second": second, "verdict": word, "line": number}
        for number, word in enumerate(words, start=1)
        if word
    ]
