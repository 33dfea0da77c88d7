"""Votes of other arenas: each format as its source writes it, bad records named, ratings like those of choix."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from arena.errors import ImportRefused, Refused
from arena.models import Battle, Entrant, Pool, Vote
from arena.services.vote_exports import export_votes
from arena.services.vote_imports import VoteImport, import_votes
from leaderboard.ballots import Ballots, Scope, names_of, read_ballots
from leaderboard.ratings import read_report

pytestmark = pytest.mark.django_db

ARENA = {"question_id": "q1", "model_a": "fir", "model_b": "elm", "judge": "arena_user_7", "turn": 1, "anony": True,
         "language": "English", "tstamp": 1.0,
         "conversation_a": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "one"}],
         "conversation_b": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "two two"}]}  # fmt: skip
PAIR = {"question_id": 81, "model_1": "fir", "model_2": "elm", "judge": ["gpt-4", "pair-v2"], "turn": 1}
HARD = {"uid": "u1", "category": "hard", "judge": "gpt-4", "model": "elm", "baseline": "fir"}
ALPACA = {"instruction": "Say hi", "output_1": "hi", "generator_1": "fir", "output_2": "hello", "generator_2": "elm",
          "dataset": "koala", "annotator": "gpt4"}  # fmt: skip
PANDA = {"idx": 0, "motivation_app": "Mail", "cmp_key": "fir_elm", "instruction": "", "input": "", "response1": "a",
         "response2": "b", "annotator1": 1, "annotator2": 2, "annotator3": 0}  # fmt: skip
LOG = {"tstamp": 1.5, "type": "leftvote", "models": ["", ""], "ip": "192.0.2.77",
       "states": [{"model_name": "fir", "conv_id": "c1"}, {"model_name": "elm"}]}  # fmt: skip


def write(folder: Path, rows: Sequence[Any], name: str = "votes.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def take(folder: Path, *rows: Any) -> VoteImport:
    return import_votes(write(folder, rows))


def winners() -> list[str]:
    """The winners' names in order, `tie` or `both_bad` where there is none."""
    rows = Vote.objects.select_related("battle__entrant_a", "battle__entrant_b").order_by("pk")
    return [
        {"a": vote.battle.entrant_a.name, "b": vote.battle.entrant_b.name}.get(vote.outcome, vote.outcome)
        for vote in rows
    ]


def test_arena_battles_keep_sides_language_and_both_bad(tmp_path: Path) -> None:
    outcomes = ("model_a", "model_b", "tie", "tie (bothbad)")
    rows = [{**ARENA, "question_id": f"q{n}", "winner": winner} for n, winner in enumerate(outcomes)]
    swapped = {**ARENA, "question_id": "q9", "model_a": "elm", "model_b": "fir", "winner": "model_a"}
    report = take(tmp_path, *rows, swapped)
    assert (report.imported, report.refused) == (5, [])
    assert winners() == ["fir", "elm", "tie", "both_bad", "elm"]
    assert list(Vote.objects.order_by("pk").values_list("swapped", flat=True)) == [False] * 4 + [True]
    assert set(Vote.objects.values_list("pool", flat=True)) == {Pool.IMPORTED_PEOPLE}
    assert Battle.objects.filter(language="English").count() == 5
    assert Battle.objects.earliest("pk").style == {"a": [3, 0, 0], "b": [7, 0, 0]}
    assert Vote.objects.values("voter").distinct().count() == 1


def test_left_is_first_whatever_the_order_of_names(tmp_path: Path) -> None:
    swapped = {**ARENA, "question_id": "q9", "model_a": "elm", "model_b": "fir", "winner": "model_a"}
    take(tmp_path, {**ARENA, "winner": "model_b"}, swapped)
    ballots = read_ballots(Scope("imported-people"))
    names = [names_of(ballots.entrants)[pk].name for pk in ballots.entrants]
    assert [(names[a], names[b]) for a, b in zip(ballots.votes.first, ballots.votes.second, strict=True)] == [
        ("fir", "elm"),
        ("elm", "fir"),
    ]
    assert ballots.votes.outcome.tolist() == [0.0, 1.0]


def test_a_raw_log_line_is_read_without_its_address(tmp_path: Path) -> None:
    chat = {"tstamp": 1.0, "type": "chat", "ip": "192.0.2.77"}
    report = take(tmp_path, chat, LOG, {**LOG, "tstamp": 2.0, "type": "bothbad_vote"})
    assert report.imported == 2 and winners() == ["fir", "both_bad"]
    assert "192.0.2.77" not in repr(list(Vote.objects.values())) + repr(list(Battle.objects.values()))
    assert Vote.objects.values("voter").distinct().count() == 2


@pytest.mark.parametrize(
    ("games", "winner"),
    [
        (("model_1", "model_1"), "fir"),
        (("model_2", "model_2"), "elm"),
        (("model_1", "model_2"), "tie"),
        (("tie", "model_1"), "tie"),
        (("tie", "tie"), "tie"),
    ],
)
def test_a_judged_pair_wins_only_both_ways(tmp_path: Path, games: tuple[str, str], winner: str) -> None:
    take(tmp_path, {**PAIR, "g1_winner": games[0], "g2_winner": games[1]})
    assert winners() == [winner]
    assert Vote.objects.get().pool == Pool.IMPORTED_JUDGE


def test_a_judge_that_failed_is_no_tie(tmp_path: Path) -> None:
    report = take(tmp_path, {**PAIR, "g1_winner": "error", "g2_winner": "model_1"})
    assert (report.imported, report.no_verdict, report.refused) == (0, 1, [])


@pytest.mark.parametrize(
    ("scores", "winner"),
    [(("A>B", "B>A"), "fir"), (("B>>A", "A>B"), "elm"), (("A>B", "A>B"), "tie"), (("A=B", "A=B"), "tie")],
)
def test_the_second_game_of_arena_hard_has_its_sides_swapped(
    tmp_path: Path, scores: tuple[str, str], winner: str
) -> None:
    take(tmp_path, {**HARD, "games": [{"score": score} for score in scores]})
    assert winners() == [winner]


def test_arena_hard_without_a_score_has_no_verdict(tmp_path: Path) -> None:
    report = take(tmp_path, {**HARD, "games": [{"score": "A>B"}, {"score": None}]})
    assert (report.imported, report.no_verdict) == (0, 1)


@pytest.mark.parametrize(
    ("preference", "winner"),
    [(1, "fir"), (2, "elm"), (2.0, "elm"), (0, "tie"), (1.5, "tie"), (1.0000001827, "fir"), (1.9999, "elm")],
)
def test_alpaca_preference_is_read_by_its_nearer_side(tmp_path: Path, preference: float, winner: str) -> None:
    take(tmp_path, {**ALPACA, "preference": preference})
    assert winners() == [winner]


@pytest.mark.parametrize("preference", [3, 0.5, -1, True, "1"])
def test_another_preference_is_refused(tmp_path: Path, preference: Any) -> None:
    report = take(tmp_path, {**ALPACA, "preference": preference}, {**ALPACA, "instruction": "b", "preference": 1})
    assert report.imported == 1 and "record" not in report.refused[0] and "line 1: preference" in report.refused[0]


def test_panda_records_hold_three_people(tmp_path: Path) -> None:
    report = take(tmp_path, PANDA)
    assert report.imported == 3 and winners() == ["fir", "elm", "tie"]
    assert Vote.objects.values("voter").distinct().count() == 3


@pytest.mark.parametrize("key", ["response1", "response2"])
def test_a_boolean_where_text_belongs_refuses_that_record_alone(tmp_path: Path, key: str) -> None:
    report = take(tmp_path, {**PANDA, key: True}, {**PANDA, "idx": 1})
    assert report.imported == 3
    assert report.refused == [f"votes.jsonl, line 1: {key}: text is expected, not a boolean"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({**ARENA, "winner": "model_c"}, "winner"),
        ({**ARENA, "winner": True}, "winner: text is expected, not a boolean"),
        ({**ARENA, "model_b": "fir", "winner": "tie"}, "both 'fir'"),
        ({**ARENA, "model_a": "", "winner": "tie"}, "model_a is empty"),
        ({**ARENA, "model_a": None, "winner": "tie"}, "model_a"),
        ({**PANDA, "annotator2": 3}, "annotator2"),
        ({**PANDA, "annotator2": False}, "annotator2"),
        ({**PANDA, "cmp_key": "a_b_c"}, "cmp_key"),
        ({**PAIR, "g1_winner": "model_3", "g2_winner": "tie"}, "g1_winner"),
        ({**HARD, "games": [{"score": "A<B"}, {"score": "A=B"}]}, "games[0].score"),
    ],
)
def test_a_file_of_bad_records_alone_stores_nothing(tmp_path: Path, row: Any, fault: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        take(tmp_path, row)
    assert fault in refused.value.faults[0] and "record 1" in refused.value.faults[0]
    assert Vote.objects.count() == Battle.objects.count() == Entrant.objects.count() == 0


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({**ARENA, "winner": "tie"}) + "\n{broken\n[1]\n", encoding="utf-8")
    report = import_votes(path)
    assert report.imported == 1
    assert [fault.partition(":")[0] for fault in report.refused] == ["v.jsonl, line 2 is no JSON", "v.jsonl, line 3"]


def test_verdict_words_are_keyed_by_their_line(tmp_path: Path) -> None:
    path = tmp_path / "faireval.txt"
    path.write_text("CHATGPT\nTIE\nVICUNA13B", encoding="utf-8")
    report = import_votes(path)
    assert report.imported == 3 and winners() == ["CHATGPT", "tie", "VICUNA13B"]
    assert list(Battle.objects.order_by("pk").values_list("question", flat=True)) == ["1", "2", "3"]


@pytest.mark.parametrize("text", ["", "[]", "{}", "hello", '[{"a": 1}]', "null"])
def test_a_file_without_votes_says_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Refused, match="no votes"):
        import_votes(path)


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    rows = [PANDA, {**PANDA, "idx": 1}]
    assert take(tmp_path, *rows).imported == 6
    again = take(tmp_path, *rows)
    assert (again.imported, again.known) == (0, 6)


def test_the_command_tells_counts_and_refusals(tmp_path: Path) -> None:
    out, err = StringIO(), StringIO()
    path = write(tmp_path, [PANDA, {**PANDA, "response1": True, "idx": 1}])
    call_command("import_votes", path=path, stdout=out, stderr=err)
    assert "3 votes imported" in out.getvalue() and "1 records refused" in out.getvalue()
    assert "response1" in err.getvalue()


def test_the_command_exits_with_2_for_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as error:
        call_command("import_votes", path=tmp_path / "absent.json", stderr=StringIO())
    assert error.value.returncode == 2


def test_an_export_names_nobody_and_comes_back_as_it_was(tmp_path: Path) -> None:
    swapped = {**ARENA, "question_id": "q2", "model_a": "elm", "model_b": "fir", "winner": "model_a"}
    take(tmp_path, {**ARENA, "winner": "tie (bothbad)"}, swapped)
    rows = list(export_votes())
    assert [(row["model_a"], row["model_b"], row["winner"]) for row in rows] == [
        ("fir", "elm", "tie (bothbad)"),
        ("elm", "fir", "model_a"),
    ]
    voters = set(Vote.objects.values_list("voter", flat=True))
    text = json.dumps(rows)
    assert "arena_user_7" not in text and not any(voter in text for voter in voters)
    assert not any(str(battle.uuid) in text for battle in Battle.objects.all())
    assert {row["judge"][:6] for row in rows} == {"voter_"}
    path = tmp_path / "out.jsonl"
    call_command("export_votes", path=path, stdout=StringIO())
    back = import_votes(path)
    assert (back.imported, back.refused) == (2, [])
    assert winners()[2:] == winners()[:2]


def as_pairs(ballots: Ballots) -> list[tuple[int, int]]:
    """choix knows wins alone: a win counts twice, a tie once each way."""
    pairs = []
    for a, b, y in zip(ballots.votes.first, ballots.votes.second, ballots.votes.outcome, strict=True):
        pairs += [(a, b)] * int(2 * y) + [(b, a)] * int(2 - 2 * y)
    return pairs


@pytest.mark.parametrize(
    ("name", "pool", "n"),
    [("vicuna_eval_2023", "imported-judge", 240), ("testset-v1.json", "imported-people", 2979)],
)
def test_real_votes_give_the_ratings_of_choix(shared: Path, name: str, pool: str, n: int) -> None:
    report = import_votes(shared / "data/imports/votes" / name)
    assert report.imported == n
    scope = Scope(pool)
    ballots = read_ballots(scope)
    theirs = choix.ilsr_pairwise(len(ballots.entrants), as_pairs(ballots), alpha=0.0)
    ours = np.array([rating.rating for rating in read_report(scope).table.ratings], dtype=float)
    assert np.abs((ours - 1000) * np.log(10) / 400 - (theirs - theirs.mean())).max() < 1e-4


def test_the_six_broken_panda_records_are_named(shared: Path) -> None:
    report = import_votes(shared / "data/imports/votes/testset-v1.json")
    assert len(report.refused) == 6
    assert all("text is expected, not a boolean" in fault for fault in report.refused)


def test_a_folder_takes_everything_that_is_a_vote(shared: Path) -> None:
    report = import_votes(shared / "data/imports/votes")
    assert report.formats == {"pandalm": 2979, "pandalm-verdicts": 969, "vicuna": 240}
    assert {"vicuna-13b", "bard", "gpt-3.5-turbo", "alpaca-13b"} <= set(Entrant.objects.values_list("name", flat=True))
