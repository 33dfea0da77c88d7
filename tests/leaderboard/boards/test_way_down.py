"""From a number on a board down to the one criterion: by links alone, for anybody."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from django.test import Client

from arena.models import DatasetRevision, Run, Subset
from arena.signals import scores_changed
from tests.factories import make_cast
from tests.leaderboard.boards.scenes import give, give_all, make_board, make_run, override

pytestmark = pytest.mark.django_db


def tell(run: Run) -> None:
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)


def follow(client: Client, address: str, pattern: str) -> tuple[str, str]:
    """The first link on the page whose address fits, and the page it leads to."""
    page = client.get(address).content.decode()
    found = re.search(f'href="({pattern})"', page)
    assert found, (pattern, address)
    target = urljoin(address, unescape(found[1]))
    return target, client.get(target).content.decode()


def ids_of(page: str) -> list[str]:
    body = page[page.index('id="replies"') :]
    return re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', body[: body.index("</section>")])


@pytest.fixture
def exams() -> DatasetRevision:
    return make_board("hipho", {"IPhO_2025": 3, "IPhO_2024": 3}, kind="exam", max_points=2)


def test_a_number_leads_down_to_the_criterion_by_links_alone(exams: DatasetRevision, client: Client) -> None:
    run = make_run(exams, "Amber")
    give_all(run, [2.0, 1.0, 0.0, 0.5, 2.0, 1.5])
    tell(run)
    receipt, _ = follow(client, "/b/hipho/", r"receipt/[0-9a-f]{8}/IPhO_2024/exam_score/")
    replies, page = follow(client, receipt, r"/runs/[^\"]+#replies")
    assert ids_of(page) == ["IPhO_2024_0", "IPhO_2024_1", "IPhO_2024_2"], "those of this exam alone"
    reply, page = follow(client, replies, r"/replies/[^\"]+")
    assert "IPhO_2024_0: reply of Amber" in page
    assert "0.5" in page[page.index('id="rubric"') :]


def test_replies_of_a_run_are_filtered_and_ordered_by_points(exams: DatasetRevision, client: Client) -> None:
    run = make_run(exams, "Amber")
    give_all(run, [2.0, 1.0, 0.0, None, 2.0, 1.5])
    tell(run)
    address = f"/runs/{run.uuid}/"
    assert len(ids_of(client.get(address).content.decode())) == 6
    page = client.get(f"{address}?outcome=partial&sort=points").content.decode()
    assert ids_of(page) == ["IPhO_2024_2", "IPhO_2025_1"]
    page = client.get(f"{address}?sort=-points").content.decode()
    assert ids_of(page)[0] == "IPhO_2025_2" and ids_of(page)[-1] == "IPhO_2024_0", "what is unscored comes last"
    assert "partial (2)" in page
    assert "No reply of this run fits" in client.get(f"{address}?outcome=cut").content.decode()
    assert client.get(f"{address}?page=99&sort=nothing&subset=nowhere&split=nowhere").status_code == 200


def test_what_people_changed_stands_beside_the_machines_points(exams: DatasetRevision, client: Client) -> None:
    run = make_run(exams, "Amber")
    give_all(run, [2.0, 1.0, 0.0, 0.5, 2.0, 1.5])
    judgment = run.replies.get(problem__external_id="IPhO_2025_2").judgments.get(level="step")
    override(judgment, 1.0, make_cast()["maintainer"])
    tell(run)
    assert "1 after review" in client.get(f"/runs/{run.uuid}/").content.decode()


def test_a_long_run_is_shown_in_pages_at_a_fixed_number_of_queries(
    client: Client, django_assert_max_num_queries: object
) -> None:
    revision = make_board("phybench", {"mechanics": 60}, max_points=100)
    run = make_run(revision, "Long", repeats=2)
    for entry in revision.entries.all():
        for repeat in (0, 1):
            give(run, entry, 100.0, repeat=repeat)
    tell(run)
    with django_assert_max_num_queries(30):  # type: ignore[operator]
        page = client.get(f"/runs/{run.uuid}/?page=3").content.decode()
    assert len(ids_of(page)) == 20 and "attempt 2" in page
    assert "?page=2#replies" in page


def test_replies_of_a_private_run_are_nobody_elses(exams: DatasetRevision, client: Client) -> None:
    run = make_run(exams, "Amber")
    give_all(run, [2.0] * 6)
    Run.objects.filter(pk=run.pk).update(published_at=None)
    assert client.get(f"/runs/{run.uuid}/").status_code == 404


def test_a_language_keeps_its_own_name_on_the_way_down(client: Client) -> None:
    revision = make_board("arc_indic", {"en": 8, "bn": 8}, kind="language", answers=("A",))
    Subset.objects.filter(slug="bn").update(title="Bengali", native_title="বাংলা")
    run = make_run(revision, "Amber")
    give_all(run, [1.0] * 10 + [0.0] * 6, answers=["A"] * 16)
    tell(run)
    receipt, page = follow(client, "/b/arc_indic/", r"receipt/[0-9a-f]{8}/bn/accuracy/")
    _, replies = follow(client, receipt, r"/runs/[^\"]+#replies")
    for shown in (page, replies):
        assert "বাংলা" in shown and "Bengali" not in shown
