"""Models compared: the board's own tests, receipts behind the values, agreement, and what one alone solves."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.models import DatasetRevision, Reply, Run
from arena.signals import scores_changed
from tests.leaderboard.boards.scenes import cells_of, give_all, make_board, make_run, part_of, sit, spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 12, "optics": 8}, max_points=100)


def rows_of(page: str, section: str) -> list[list[str]]:
    body = part_of(part_of(page, f'id="{section}"'), "<tbody>", "</tbody>").replace("</tr>", "")
    return [cells_of(row) for row in body.split("<tr>")[1:]]


def test_compare_names_the_difference_and_what_only_one_solves(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15), B=spread(5))
    page = client.get("/b/phybench/compare/?a=a&b=b").content.decode()
    pair = cells_of(part_of(part_of(page, 'id="pairs"'), "<tbody><tr>", "</tr>").removeprefix("<tbody><tr>"))
    assert pair[0] == "A − B" and pair[1].startswith("+50") and pair[-3:] == ["10", "0", "20"]
    only = part_of(page, 'id="only"')
    listed = [name for name in (f"mechanics_{i}" for i in range(12)) if f">{name}<" in only]
    assert listed == [f"mechanics_{i}" for i in range(5, 12)] and ">optics_2<" in only and ">optics_3<" not in only
    (agreement,) = rows_of(page, "agreement")  # both solve 5, neither 5: they agree on 10 of 20
    assert agreement == ["A · B", "50.0 %", "0.20", "5", "10", "0", "5", "20"]


def test_compare_puts_two_replies_side_by_side(eed: DatasetRevision, client: Client) -> None:
    runs = sit(eed, A=spread(15), B=spread(5))
    page = client.get("/b/phybench/compare/?a=b&b=a&problem=mechanics_7").content.decode()
    side = part_of(page, 'id="side"', "</h2>")
    found = Reply.objects.filter(run__in=runs.values(), problem__external_id="mechanics_7")
    assert all(f"/replies/{reply.uuid}/" in page for reply in found) and "mechanics_7" in side


@pytest.mark.parametrize("query", ["", "?a=nobody&b=x", "?a=a", "?a=a&b=a", "?m=a&m=b&m=zz", "?metric=nothing"])
def test_compare_takes_any_choice(eed: DatasetRevision, client: Client, query: str) -> None:
    sit(eed, A=spread(15), B=spread(5))
    assert client.get(f"/b/phybench/compare/{query}").status_code == 200


def test_compare_says_that_two_models_are_needed(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15))
    assert "Two models are needed" in client.get("/b/phybench/compare/").content.decode()


def test_each_compared_value_leads_to_its_receipt(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15), B=spread(5))
    page = client.get("/b/phybench/compare/?a=a&b=b").content.decode()
    first, second = rows_of(page, "models")
    assert first[:2] == ["A", "75.0"] and second[:2] == ["B", "25.0"] and first[3] == "1"
    links = [part.split('"')[0] for part in part_of(page, 'id="models"').split('class="number" href="')[1:]]
    assert len(links) == 2
    assert "75.0" in client.get(links[0]).content.decode()


def test_pairs_of_ranked_models_are_corrected_as_the_boards_tiers_are(eed: DatasetRevision, client: Client) -> None:
    """An uploaded run takes no rank, so its pairs must not move the p values that cut the tiers."""
    sit(eed, A=spread(15), B=spread(8))
    alone = rows_of(client.get("/b/phybench/compare/?a=a&b=b").content.decode(), "pairs")
    for name in ("C", "D"):
        run = make_run(eed, name, provenance=Run.Provenance.UPLOADED)
        give_all(run, spread(9))
        scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    assert rows_of(client.get("/b/phybench/compare/?a=a&b=b").content.decode(), "pairs") == alone
    with_uploaded = rows_of(client.get("/b/phybench/compare/?a=a&b=b&c=c").content.decode(), "pairs")
    assert with_uploaded[0] == alone[0] and len(with_uploaded) == 3


def test_of_three_models_each_pair_agrees_and_one_alone_solves(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(15), B=spread(5), C=[0.0] * 18 + [100.0] * 2)
    page = client.get("/b/phybench/compare/?a=a&b=b&c=c").content.decode()
    assert [row[0] for row in rows_of(page, "agreement")] == ["A · B", "A · C", "B · C"]
    heads = [part.split("</h3>")[0] for part in part_of(page, 'id="only"').split("<h3>")[1:]]
    assert [head.split(" <")[0] for head in heads] == ["A", "B", "C"]
    assert [head.split(">")[1].split("<")[0] for head in heads] == ["10", "0", "2"]
    side = client.get("/b/phybench/compare/?a=a&b=b&c=c&problem=optics_7").content.decode()
    assert part_of(side, 'id="side"').count("<h3>") == 1 and side[side.index('id="side"') :].count("<h3>") == 3


def test_slices_name_their_subsets_and_what_is_compared(client: Client) -> None:
    revision = make_board("hipho", {"IPhO_2025": 3, "IPhO_2024": 3}, kind="exam", max_points=2, marks=(5.0, 4.0, 3.0))
    sit(revision, A=[2.0] * 6, B=[1.0] * 5 + [2.0])
    page = client.get("/b/hipho/compare/?a=a&b=b").content.decode()
    assert [row[0] for row in rows_of(page, "slices")] == ["IPhO 2025", "IPhO 2024"]
    assert "Accuracy: A − B" in part_of(page, 'id="slices"')
