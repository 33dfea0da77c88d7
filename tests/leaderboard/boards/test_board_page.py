"""The board through its address: ranks, ties, tiers, filters, orders, twins."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.models import DatasetRevision, Entrant, Judgment, ReportedResult, Run, Subset, User
from arena.signals import scores_changed
from leaderboard.models import Standing
from tests.leaderboard.boards.scenes import give_all, make_board, make_run, make_scorer, override, sit

pytestmark = pytest.mark.django_db


def tell(*runs: Run) -> None:
    scores_changed.send(sender=None, run_ids=[run.pk for run in runs], inline=True)


def read(client: Client, slug: str, query: str = "") -> list[dict[str, Any]]:
    response = client.get(f"/b/{slug}.json?{query}")
    assert response.status_code == 200
    return json.loads(response.content)["rows"]  # type: ignore[no-any-return]


@pytest.fixture
def eed() -> DatasetRevision:
    return make_board("phybench", {"mechanics": 40, "optics": 20}, max_points=100)


def spread(n_right: int, n: int = 60) -> list[float | None]:
    return [100.0] * n_right + [0.0] * (n - n_right)


def test_equal_scores_share_a_rank_and_the_next_is_two_further(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(50), B=spread(50), C=spread(20))
    rows = {row["model"]: row for row in read(client, "phybench")}
    assert (rows["A"]["rank"], rows["B"]["rank"], rows["C"]["rank"]) == (1, 1, 3)
    assert rows["A"]["tier"] == rows["B"]["tier"] == 1 and rows["C"]["tier"] == 2
    assert (rows["C"]["rank_low"], rows["C"]["rank_high"]) == (3, 3)


def test_models_that_differ_on_one_problem_stay_in_one_tier(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(31), B=spread(30))
    rows = read(client, "phybench")
    assert [row["rank"] for row in rows] == [1, 2] and {row["tier"] for row in rows} == {1}
    assert all((row["rank_low"], row["rank_high"]) == (1, 2) for row in rows)


@pytest.mark.parametrize(
    "sort", ["eed", "-eed", "accuracy", "-accuracy", "mechanics", "-mechanics", "tokens", "-tokens"]
)
def test_missing_values_are_last_in_both_directions(eed: DatasetRevision, client: Client, sort: str) -> None:
    runs = sit(eed, A=spread(50), B=spread(20))
    nothing = make_run(eed, "Nothing")
    tell(nothing)
    assert runs
    rows = [row for row in read(client, "phybench", f"sort={sort}") if row["kind"] == "model"]
    assert rows[-1]["model"] == "Nothing" and rows[-1]["value"] is None and rows[-1]["rank"] is None
    assert len(rows) == 3


def test_a_filter_never_moves_a_rank_or_a_tier(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(58), B=spread(35), C=spread(5))
    Entrant.objects.filter(name="A").update(organisation="North", open_weights=False)
    Entrant.objects.filter(name__in="BC").update(organisation="South", open_weights=True)
    whole = {row["model"]: (row["rank"], row["tier"]) for row in read(client, "phybench")}
    for query in ("open=yes", "org=South", "kind=model", "provenance=measured", "since=2025-01-01", "field=mechanics"):
        rows = [row for row in read(client, "phybench", query) if row["kind"] == "model"]
        assert rows and {row["model"]: (row["rank"], row["tier"]) for row in rows}.items() <= whole.items(), query
    assert [row["model"] for row in read(client, "phybench", "open=yes") if row["kind"] == "model"] == ["B", "C"]
    assert not read(client, "phybench", "since=2027-01-01&kind=model")


def test_a_value_with_little_coverage_takes_no_rank_and_shows_its_bounds(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(30), B=[100.0] * 30 + [None] * 30)
    rows = {row["model"]: row for row in read(client, "phybench")}
    assert rows["B"]["rank"] is None and rows["B"]["unranked_reason"] == "coverage 50.0%"
    assert (rows["B"]["value"], rows["B"]["bound_low"], rows["B"]["bound_high"]) == (100, 50, 100)
    assert (rows["B"]["n_scored"], rows["B"]["n_problems"], rows["B"]["n_unscored"]) == (30, 60, 30)
    assert rows["A"]["rank"] == 1
    assert "only 50.0\u202f% scored" in client.get("/b/phybench/").content.decode()


def test_limited_uploaded_and_own_judge_runs_are_shown_and_not_ranked(eed: DatasetRevision, client: Client) -> None:
    for name, fields in {
        "Limited": {"partial": True, "limit": 5},
        "Brought": {"provenance": Run.Provenance.UPLOADED},
        "Own": {"is_own_judge": True},
    }.items():
        run = make_run(eed, name, **fields)
        give_all(run, spread(60))
        tell(run)
    rows = {row["model"]: row for row in read(client, "phybench")}
    assert all(rows[name]["rank"] is None for name in ("Limited", "Brought", "Own"))
    assert rows["Limited"]["n_problems"] == 60 and rows["Brought"]["mark"] == "uploaded"


def test_an_empty_view_says_why_and_offers_a_way_back(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(50))
    empty = client.get("/b/phybench/?since=2027-01-01").content.decode()
    assert "Nothing fits these filters" in empty and "nobody has run a model" not in empty
    assert '<a class="button quiet" href="/b/phybench/">Clear the filters</a>' in empty
    estimated = client.get("/b/phybench/?basis=estimated").content.decode()
    assert "No run has an estimate yet" in estimated and "Back to the machine’s points" in estimated
    assert "Nothing fits" not in client.get("/b/phybench/").content.decode()


def test_nothing_is_ranked_on_the_sample_set_and_nothing_reported_stands_there(client: Client) -> None:
    revision = make_board("phybench", {"mechanics": 8}, max_points=100)
    DatasetRevision.objects.filter(pk=revision.pk).update(origin="sample")
    _report(revision, "Published", 61.0)
    sit(DatasetRevision.objects.select_related("benchmark__scorer").get(pk=revision.pk), A=[100.0] * 8)
    rows = read(client, "phybench")
    assert [row["rank"] for row in rows if row["model"] == "A"] == [None]
    assert "Published" not in [row["model"] for row in rows]


def _report(revision: DatasetRevision, name: str, value: float, **fields: Any) -> ReportedResult:
    entrant, _ = Entrant.objects.get_or_create(slug=name.lower(), defaults={"name": name})
    values = {"metric": "eed", "source": "a paper", "date": "2025-05", "digest": f"{name}{fields}"} | fields
    return ReportedResult.objects.create(benchmark=revision.benchmark, entrant=entrant, value=value, **values)


def test_reported_rows_stand_in_order_without_rank_interval_or_test(eed: DatasetRevision, client: Client) -> None:
    _report(eed, "Paper", 40.0)
    sit(eed, A=spread(50), B=spread(10))
    rows = [row for row in read(client, "phybench") if row["kind"] == "model"]
    assert [row["model"] for row in rows] == ["A", "Paper", "B"]
    assert rows[1]["mark"] == "reported" and rows[1]["rank"] is None and rows[1]["low"] is None
    assert [row["rank"] for row in rows] == [1, None, 2]
    page = client.get("/b/phybench/").content.decode()
    assert "strip-reported" in page and "reported, not measured here" in page


def test_csv_json_and_format_hold_the_same_rows(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(50), B=spread(20))
    text = client.get("/b/phybench.csv").content.decode()
    assert text == client.get("/b/phybench/?format=csv").content.decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    rows = read(client, "phybench")
    assert [line["model"] for line in lines] == [row["model"] for row in rows]
    assert float(lines[0]["value"]) == rows[0]["value"] and lines[0]["rank"] == "1"
    assert json.loads(client.get("/b/phybench/?format=json").content)["rows"] == rows
    assert rows[0]["metrics"]["accuracy"] == pytest.approx(50 / 60) and set(rows[0]["subsets"]) == {
        "mechanics",
        "optics",
    }


def test_a_spreadsheet_runs_no_name(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(50))
    Entrant.objects.filter(name="A").update(name="=1+1")
    assert ",'=1+1," in client.get("/b/phybench.csv").content.decode()


def test_a_row_under_an_older_scorer_is_stale_and_unranked(eed: DatasetRevision, client: Client) -> None:
    from arena.models import Benchmark
    from arena.signals import catalog_changed

    sit(eed, A=spread(50))
    Benchmark.objects.filter(pk=eed.benchmark_id).update(scorer=make_scorer("phybench", version="2"))
    catalog_changed.send(sender=None, revision_id=eed.pk, inline=True)
    row = next(row for row in read(client, "phybench") if row["model"] == "A")
    assert row["rank"] is None and row["unranked_reason"] == "other scorer" and row["scorer"] == "ruler 1"
    page = client.get("/b/phybench/").content.decode()
    assert '<tr class="stale">' in page and "older scorer" in page
    assert "ruler" in client.get("/b/phybench/changes/").content.decode()


def test_what_takes_no_rank_anyway_is_stale_besides(eed: DatasetRevision, client: Client) -> None:
    """An uploaded run under an older scorer does not look as if it were measured by the current one."""
    from arena.services.scorers import set_current_scorer
    from arena.signals import catalog_changed

    uploaded = make_run(eed, "Brought", provenance="uploaded")
    judged = make_run(eed, "Judged", is_own_judge=True)
    for run in (uploaded, judged):
        give_all(run, spread(30))
    tell(uploaded, judged)
    page = client.get("/b/phybench/").content.decode()
    assert "not ranked: uploaded" in page and "older scorer" not in page
    set_current_scorer(eed.benchmark, make_scorer("phybench", version="2"))
    catalog_changed.send(sender=None, revision_id=eed.pk, inline=True)
    page = client.get("/b/phybench/").content.decode()
    assert "not ranked: uploaded, scored by an older scorer" in page
    assert "not ranked: own judge<" in page, "its scorer is its own"
    changes = client.get("/b/phybench/changes/").content.decode()
    stale = changes.split("Rows under an older scorer")[1].split("</section>")[0]
    assert "Brought" in stale and "Judged" not in stale
    assert changes.count("ruler 2 ranks from now on") == 1, "the log says since when"
    set_current_scorer(eed.benchmark, eed.benchmark.scorer)
    assert client.get("/b/phybench/changes/").content.decode().count("ranks from now on") == 1


def test_values_after_review_stand_in_no_tiers_that_are_the_machines(eed: DatasetRevision, client: Client) -> None:
    runs = sit(eed, A=spread(60, 60), B=spread(40, 60), C=spread(20, 60))
    reviewer = User.objects.create(username="rita")
    for judgment in list(Judgment.objects.filter(reply__run=runs["A"]))[:30]:
        override(judgment, 0, reviewer)
    tell(runs["A"])
    assert client.get("/b/phybench/").content.decode().count('class="tier-label"') == 3
    page = client.get("/b/phybench/?basis=effective").content.decode()
    shown = [(row["model"], row["rank"]) for row in read(client, "phybench", "basis=effective") if row["run"]]
    assert shown == [("B", 2), ("A", 1), ("C", 3)]
    assert "tier-label" not in page and "Ranks and tiers are the machine" in page
    for query in ("", "?basis=effective&sort=model"):
        assert "Ranks and tiers are the machine" not in client.get(f"/b/phybench/{query}").content.decode()


def test_a_board_takes_at_most_six_queries(
    eed: DatasetRevision, client: Client, django_assert_max_num_queries: Any
) -> None:
    sit(eed, A=spread(50), B=spread(20))
    client.get("/b/phybench/")
    with django_assert_max_num_queries(6):
        client.get("/b/phybench/")


def test_queries_do_not_grow_with_the_models(eed: DatasetRevision, client: Client) -> None:
    from django.db import connection

    sit(eed, A=spread(50), B=spread(20))
    with CaptureQueriesContext(connection) as few:
        client.get("/b/phybench/")
    sit(eed, **{f"M{i}": spread(10 + i) for i in range(6)})
    with CaptureQueriesContext(connection) as many:
        client.get("/b/phybench/")
    assert len(many) == len(few)


def test_a_receipt_stands_behind_each_number_of_a_run(eed: DatasetRevision, client: Client) -> None:
    runs = sit(eed, A=spread(50))
    short = str(runs["A"].uuid)[:8]
    page = client.get("/b/phybench/").content.decode()
    for subset, metric in (("overall", "eed"), ("overall", "accuracy"), ("mechanics", "eed")):
        path = f"receipt/{short}/{subset}/{metric}/"
        assert f'href="{path}"' in page
        receipt = client.get(f"/b/phybench/{path}").content.decode()
        assert (
            'manage.py evaluate phybench</span> <span class="command-part">--model A' in receipt
            and "ruler" in receipt
            and "BibTeX" in receipt
        )
    assert client.get(f"/b/phybench/receipt/{short}/overall/nonsense/").status_code == 404
    assert client.get("/b/phybench/receipt/zzzzzzzz/overall/eed/").status_code == 404


def test_withdrawn_and_private_runs_have_no_receipt(eed: DatasetRevision, client: Client) -> None:
    run = make_run(eed, "Private")
    Run.objects.filter(pk=run.pk).update(published_at=None)
    give_all(run, spread(50))
    tell(run)
    assert not Standing.objects.filter(run=run).exists()
    assert client.get(f"/b/phybench/receipt/{str(run.uuid)[:8]}/overall/eed/").status_code == 404


@pytest.mark.parametrize(
    "query", ["sort=nonsense", "metric=nonsense", "basis=x", "since=x", "subset=../x", "kind=%00", "page=-1"]
)
def test_nonsense_in_the_address_shows_the_plain_board(eed: DatasetRevision, client: Client, query: str) -> None:
    sit(eed, A=spread(50))
    assert client.get(f"/b/phybench/?{query}").status_code == 200
    assert read(client, "phybench", query)[0]["model"] == "A"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("kind=robot", "Kind"), ("org=Nobody", "Organisation"), ("open=perhaps", "Weights"), ("modality=x", "Modality"),
        ("language=xx", "Language"), ("field=x", "Field"), ("since=yesterday", "Since"), ("date=2026-13-01", "Since"),
        ("provenance=x", "Origin"), ("scorer=x", "Scorer"), ("sort=x", "Order"), ("metric=x", "Metric"),
        ("subset=x", "Subset"), ("basis=x", "Points"), ("as_of=x", "Moment"),
        ("kind=x&field=y&open=yes", "Kind, Field"),
    ],
)  # fmt: skip
def test_a_value_that_means_nothing_is_left_out_and_named(
    eed: DatasetRevision, client: Client, query: str, words: str
) -> None:
    sit(eed, A=spread(50))
    Entrant.objects.update(open_weights=True)
    page = client.get(f"/b/phybench/?{query}").content.decode()
    assert f"What the address asks for is not on this board and was left out: {words}." in page and ">A<" in page
    links = re.findall(r'href="([^"]*)"', page)
    assert links and not any("ignored=" in link for link in links), "no link of the page keeps the notice"
    assert json.loads(client.get(f"/b/phybench.json?{query}").content)["ignored"]


@pytest.mark.parametrize("query", ["", "open=yes&kind=model&sort=-eed", "subset=overall&basis=machine&metric=accuracy"])
def test_what_means_something_is_not_called_left_out(eed: DatasetRevision, client: Client, query: str) -> None:
    sit(eed, A=spread(50))
    assert "was left out" not in client.get(f"/b/phybench/?{query}").content.decode()


def test_a_board_whose_filters_leave_nothing_says_so(eed: DatasetRevision, client: Client) -> None:
    sit(eed, A=spread(50))
    page = client.get("/b/phybench/?since=2027-01-01").content.decode()
    assert "Nothing fits these filters" in page and "No model has sat this exam" not in page


@pytest.mark.parametrize("path", ["?revision=none", "?split=none"])
def test_an_unknown_revision_or_split_is_not_found(eed: DatasetRevision, client: Client, path: str) -> None:
    assert client.get(f"/b/phybench/{path}").status_code == 404
    assert client.get("/b/none/").status_code == 404


def test_a_share_cut_by_length_over_two_per_cent_comes_with_advice(eed: DatasetRevision, client: Client) -> None:
    from tests.leaderboard.boards.scenes import give

    run = make_run(eed, "Short")
    for entry in eed.entries.select_related("problem__subset"):
        is_cut = entry.position < 3
        give(run, entry, 0.0 if is_cut else 100.0, status="cut" if is_cut else "scored")
    tell(run)
    assert "raise max_tokens" in client.get("/b/phybench/").content.decode()
    row = read(client, "phybench")[0]
    assert row["cut"] == pytest.approx(3 / 60) and row["n_unscored"] == 0


def test_one_model_alone_is_in_no_tier_and_a_second_makes_tiers(client: Client) -> None:
    revision = make_board("phybench", {"mechanics": 20}, max_points=100)
    sit(revision, Alpha=[100.0] * 20)
    alone = client.get("/b/phybench/").content.decode()
    assert "tier-label" not in alone and ">T1<" not in alone
    receipt = client.get(re.findall(r'href="(receipt/[^"]+)"', alone)[0].join(("/b/phybench/", ""))).content.decode()
    assert "rank 1, nobody else to compare with" in receipt
    sit(revision, Beta=[0.0] * 20)
    assert client.get("/b/phybench/").content.decode().count("tier-label") == 2


def test_languages_are_chosen_by_name(client: Client) -> None:
    revision = make_board("hipho", {"IPhO_2025": 2, "CPhO_2025": 2}, kind="exam", max_points=2)
    Subset.objects.filter(slug="CPhO_2025").update(language="zh")
    Subset.objects.filter(slug="IPhO_2025").update(language="en")
    sit(revision, Alpha=[2.0] * 4)
    page = client.get("/b/hipho/?language=zh").content.decode()
    assert re.search(r'<option value="zh" selected>\s*Chinese', page) and "on Chinese only" in page


class Loaded(HTMLParser):
    """What a browser fetches by itself for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        names = ("src", "poster", "data") if tag != "link" else ("href",)
        self.addresses += [given[name] for name in names if name in given]
        self.addresses += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]


def test_a_board_page_fetches_nothing_from_another_host(client: Client) -> None:
    revision = make_board("phybench", {"mechanics": 20}, max_points=100)
    sit(revision, Alpha=[100.0] * 12 + [0.0] * 8, Beta=[0.0] * 20)
    seen = set()
    for path in ("/", "/b/phybench/", "/b/phybench/charts/", "/b/phybench/problems/", "/b/phybench/compare/"):
        page = Loaded()
        page.feed(client.get(path).content.decode())
        assert page.addresses and all(re.match(r"/(?!/)|data:", address) for address in page.addresses), path
        seen |= set(page.addresses)
    sheets = {name for address in seen if (name := urlsplit(address).path).endswith((".css", ".js"))}
    assert len(sheets) > 5
    for name in sheets:
        text = Path(finders.find(name.removeprefix("/static/"))).read_text()
        fetched = re.findall(r"""(?:url\(|@import\s+|\bimport\s+(?:[^"';]*\sfrom\s+)?)["']?([^"')\s;]+)""", text)
        fetched += re.findall(r"""\bfetch\(\s*["'`]([^"'`]+)""", text)
        assert not [address for address in fetched if re.match(r"(?:https?:)?//", address)], name
