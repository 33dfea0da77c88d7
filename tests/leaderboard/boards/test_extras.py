"""Tables that one benchmark alone has, in the order of its board."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from arena.models import DatasetRevision, Subset
from arena.signals import scores_changed
from tests.factories import import_samples
from tests.leaderboard.boards.scenes import cells_of, give_all, make_board, make_run, part_of, report, sit

pytestmark = pytest.mark.django_db


def rows_of(client: Client, slug: str, title: str) -> list[list[str]]:
    """The table under a heading, its head first."""
    table = part_of(client.get(f"/b/{slug}/charts/").content.decode(), f"<h2>{title}</h2>")
    rows = table.replace("<thead>", "").replace("</thead>", "").split("<tr>")[1:]
    return [cells_of(row[: row.index("</tr>")]) for row in rows]


def follow_numbers(client: Client, address: str) -> list[str]:
    """Each linked number of the page's tables, after a look at whether it stands where its link leads."""
    cells = re.findall(r'<td class="num"><a href="([^"]+)">([^<]+)</a>', client.get(address).content.decode())
    for url, text in cells:
        target = client.get(unescape(url).partition("#")[0])
        assert target.status_code == 200, url
        if text[0].isdigit():
            shown = unescape(target.content.decode()).replace("\u202f", " ").replace("\u00a0", " ")
            assert unescape(text).replace("\u202f", " ").partition(" [")[0] in shown, (text, url)
    return [unescape(url) for url, _text in cells]


def test_phyx_shows_what_options_are_worth_on_the_same_questions(client: Client) -> None:
    openly, chosen = (make_board(slug, {"optics": 12}) for slug in ("phyx_oe", "phyx_mc"))
    sit(openly, Alpha=[1.0] * 3 + [0.0] * 9, Beta=[1.0] * 12)
    sit(chosen, Alpha=[1.0] * 9 + [0.0] * 3)
    for revision, value in ((openly, 0.3), (chosen, 0.5)):
        report(revision, "Gamma", value, metric="accuracy", split="test")
    for slug in ("phyx_oe", "phyx_mc"):
        _head, alpha, gamma = rows_of(client, slug, "Open-ended against multiple choice")
        assert alpha[:3] == ["Alpha", "25.0 %", "75.0 %"] and alpha[4] == "12"
        assert alpha[3].startswith("+50.0 [+16.8, +83.2")
        assert gamma == ["Gamma (reported)", "30.0 %", "50.0 %", "+20.0", "–"]


def test_coinflips_bias_is_in_points_and_in_the_order_of_the_board(client: Client) -> None:
    revision = make_board("coin_flip", {"default": 8}, answers=("YES", "NO"))
    for name, wrong in (("Weak", 4), ("Strong", 1)):
        run = make_run(revision, name)
        said = [("NO" if i % 2 == 0 else "YES") if i < wrong else ("YES" if i % 2 == 0 else "NO") for i in range(8)]
        give_all(run, [float(i >= wrong) for i in range(8)], answers=said)
        scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    head, first, second = rows_of(client, "coin_flip", "Bias towards YES")
    assert head[3] == "Bias, in points" and (first[0], second[0]) == ("Strong", "Weak")
    assert first[1:] == ["37.5 %", "50.0 %", "−12.5"]


def test_a_group_leads_to_the_board_of_its_problems(client: Client) -> None:
    revision = make_board("hipho", {"Mechanics": 6, "Optics": 6}, kind="exam", max_points=2)
    sit(revision, Alpha=[2.0] * 6 + [1.0] * 6)
    page = client.get("/b/hipho/charts/").content.decode()
    table = part_of(page, "<h2>By field</h2>")
    url = table.split('<th scope="col" class="num"><a href="')[2].split('"')[0].replace("&amp;", "&")
    assert "field=Optics" in url
    board = client.get(url).content.decode()
    assert ">50.0" in board and "50.0" in table and "on Optics only" in board
    assert [url.partition("field=")[2] for url in follow_numbers(client, "/b/hipho/charts/")] == ["Mechanics", "Optics"]


@pytest.mark.parametrize(("slug", "split"), [("phyx_oe", "test_mini"), ("coin_flip", "test")])
def test_every_number_of_a_table_leads_to_what_it_rests_on(slug: str, split: str, client: Client) -> None:
    import_samples(slug)
    revision = DatasetRevision.objects.get()
    run = make_run(revision, "Alpha", split=split)
    points = [float(entry.problem.max_points) * (i % 3 > 0) for i, entry in enumerate(revision.entries.all())]
    give_all(run, points, answers=["YES"] * len(points))
    scores_changed.send(sender=None, run_ids=[run.pk], inline=True)
    found = follow_numbers(client, f"/b/{slug}/charts/")
    assert len(found) >= 4 and any("group=" in url for url in found)
    if slug != "coin_flip":
        page = client.get(f"/b/{slug}/splits/?by=reasoning_type").content.decode()
        assert re.search(r'<span class="value"><a href="/runs/[^"]+group=', page)


def test_a_gap_between_languages_leads_to_the_receipt_of_the_language(client: Client) -> None:
    revision = make_board("arc_indic", {"en": 8, "hi": 8}, kind="language")
    Subset.objects.filter(kind="language").update(native_title="")
    sit(revision, Alpha=[1.0] * 8 + [0.0] * 8)
    for url in follow_numbers(client, "/b/arc_indic/charts/"):
        assert "/hi/accuracy/" in url


def test_answer_types_lead_to_the_replies_behind_them(client: Client) -> None:
    """A problem whose answers differ in type stands under each, on the page, in its table and behind the link."""
    revision = make_board("hipho", {"IPhO_2025": 12}, kind="exam", max_points=2)
    for entry in list(revision.entries.order_by("position"))[6:]:
        entry.problem.answers.create(position=1, value="A", kind="choice", points=1)
    sit(revision, Alpha=[2.0] * 7 + [1.0] * 5)
    page = client.get("/b/hipho/splits/?by=answer_type").content.decode()
    cells = re.findall(r'<span class="value"><a href="([^"]+)">([^<]+)</a>', page)
    assert [text.replace("\u202f", " ") for _url, text in cells] == ["79.2 %", "58.3 %"] and "stands under each" in page
    for url, text in cells:
        replies = client.get(unescape(url).partition("#")[0]).content.decode()
        assert text in replies, "the mean of just these replies"
    assert unescape(cells[1][0]).endswith("group=answer_kinds%3Achoice#replies")
    assert rows_of(client, "hipho", "By answer type")[1][1:] == [
        f"{text} {interval}".replace("\u202f", " ")
        for (_url, text), interval in zip(cells, intervals_of(page), strict=True)
    ], "the same numbers on both pages"


def intervals_of(page: str) -> list[str]:
    """`low%–high%` of each cell, as the charts print it: `[low, high]`."""
    found = re.findall(r'</span> <small class="muted">([^<]+)</small></td>', page)
    return [f"[{', '.join(re.findall(r'[0-9.]+', interval))}]" for interval in found]


def test_kinds_of_problems_keep_to_their_split(client: Client) -> None:
    import_samples("phyx_oe")
    page = client.get("/b/phyx_oe/splits/?split=test&by=subfield").content.decode()
    tabs = re.findall(r'href="(\?by=[^"]+)"', page)
    assert tabs and all("split=test" in tab for tab in tabs)
