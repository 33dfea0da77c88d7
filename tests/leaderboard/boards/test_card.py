"""The benchmark card: numbers as the seeds print them, from the real data; commands that really run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.test import Client
from django.utils.html import escape

from arena.benchmarks import BENCHMARKS
from arena.services.catalog import import_benchmark
from leaderboard.published_claims import CLAIMS
from leaderboard.selectors.boards import find_board
from leaderboard.selectors.cards import make_bibtex, read_card, usage_of
from tests.factories import import_samples
from tests.fake_llm import FakeLLM, say
from tests.leaderboard.boards.scenes import make_board

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_hiphos_card_prints_the_numbers_of_its_seed(shared: Path, client: Client) -> None:
    import_benchmark("hipho", shared / "data/hipho")
    place, state, _revisions = find_board("hipho")
    card = read_card(place, state.facts)
    seed = (shared / "seeds/hipho.zh.md").read_text(encoding="utf-8")
    rows = {
        name: (int(n), float(mean), int(least), int(most))
        for name, n, mean, least, most in re.findall(r"\| `([\w=]+)` \| (\d+) \| ([\d.]+) \| (\d+) \| (\d+) \|", seed)
    }
    assert len(rows) == 14 and rows == CLAIMS["hipho"].subsets
    measured = {row.name: (int(row.n), float(row.mean), int(row.least), int(row.most)) for row in card.lengths}
    assert measured.pop("") == (403, 3020.35, 653, 9336)
    assert measured == rows
    assert all(row.agrees for row in card.lengths)
    figures = {fact.label: fact for fact in card.figures}
    assert figures["Figures"].value == "413" and figures["Size in pixels, by area"].value == "456x60 – 3200x1645"
    assert figures["An illustrated sample has"].value == "1 to 5, 1.5 on average" and figures["Formats"].value == "png"
    page = client.get("/b/hipho/about/").content.decode()
    assert "3020.35" in page and "[image: png, 101.8 KB]" in page and "9336" in page
    assert "http" not in card.sample["text"] and "base64" not in card.sample["text"]


@pytest.mark.parametrize("slug", sorted(BENCHMARKS))
def test_every_card_shows_its_prompts_verbatim_and_one_sample_as_sent(slug: str, client: Client) -> None:
    import_samples(slug)
    place, state, _revisions = find_board(slug)
    card = read_card(place, state.facts)
    page = client.get(f"/b/{slug}/about/").content.decode()
    for template in card.templates:
        assert escape(template.text) in page
    assert escape(card.sample["text"]) in page and card.lengths[0].n == str(state.facts["n_problems"])
    for tag in card.tags:
        assert f"?tag={tag}".replace(" ", "%20").replace("/", "/") in page or "tag=" in page
    assert "@misc" in card.bibtex


def test_a_citation_becomes_an_entry_with_its_parts() -> None:
    qiu = make_bibtex("p", "Qiu et al. PHYBench: physical perception. arXiv:2504.16074, 2025.")
    assert "author = {Qiu and others}" in qiu and "title = {PHYBench: physical perception}" in qiu
    assert "eprint = {2504.16074}" in qiu and "year = {2025}" in qiu
    clark = make_bibtex("a", "Clark et al. Is it solved? Try ARC. arXiv:1803.05457")
    assert "title = {Is it solved? Try ARC}" in clark and "year = {2018}" in clark
    anonymous = make_bibtex("h", "HiPhO: olympiads. arXiv:2509.07894, 2025.")
    assert "author" not in anonymous and "title = {HiPhO: olympiads}" in anonymous
    for slug, adapter in BENCHMARKS.items():
        title = make_bibtex(slug, adapter.citation).split("title = {")[1].split("},\n")[0]
        assert "arXiv" not in title and "et al" not in title, slug


def test_a_count_that_is_all_a_source_publishes_is_compared(client: Client) -> None:
    make_board("phybench", {"mechanics": 3}, max_points=100)
    place, state, _revisions = find_board("phybench")
    state.facts["card"] = {"prompts": {"n": 500, "mean": 10.0, "min": 1, "max": 20}, "subsets": {}}
    (whole,) = read_card(place, state.facts).lengths
    assert (whole.n, whole.claimed, whole.agrees) == ("500", "500", True)


def test_subsets_stand_in_the_order_of_the_board_whatever_the_stored_order() -> None:
    """PostgreSQL keeps the keys of a JSON object by length."""
    make_board("phybench", {"thermodynamics": 1, "optics": 1}, max_points=100)
    place, state, _revisions = find_board("phybench")
    group = {"n": 1, "mean": 10.0, "min": 1, "max": 20}
    state.facts["card"] = {"subsets": {"optics": group, "thermodynamics": group}}
    assert [row.name for row in read_card(place, state.facts).lengths] == ["thermodynamics", "optics"]


def test_hidden_answers_are_on_no_card(client: Client) -> None:
    import_samples("phybench")
    place, state, _revisions = find_board("phybench")
    from arena.models import Answer

    hidden = {answer.value for answer in Answer.objects.filter(is_hidden=True)}
    assert not any(answer in hidden for answer in read_card(place, state.facts).sample["answers"])


@pytest.mark.parametrize("slug", sorted(BENCHMARKS))
def test_the_cards_commands_run_with_the_options_they_name(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_samples(slug)
    commands = {
        usage.command.split()[2]: usage.command for usage in usage_of(BENCHMARKS[slug]) if "manage.py" in usage.command
    }
    assert {"import_benchmark", "evaluate", "import_run"} <= set(commands)
    known = {name: load_command_class(app, name) for name, app in get_commands().items() if name in commands}
    for name, command in commands.items():
        parser = known[name].create_parser("manage.py", name)
        parser.parse_args(shlex.split(command)[3:])
    monkeypatch.setenv("API_KEY", "sk-for-a-test")
    reply = '{"awarded": 0, "correct": false, "verdict": false, "evidence": "", "reason": "no"} ANSWER: A'
    with FakeLLM([say(reply)]) as server:
        words = [server.base_url if word == "URL" else word for word in shlex.split(commands["evaluate"])[3:]]
        try:
            call_command("evaluate", *words, "--inline")
        except SystemExit as stop:
            assert stop.code in (0, 3)


def test_evalscopes_commands_use_the_options_of_its_own_cards(shared: Path) -> None:
    seeds = "\n".join(path.read_text(encoding="utf-8") for path in (shared / "seeds").iterdir())
    told = set(re.findall(r"--[a-z][a-z-]+", seeds))
    for slug in BENCHMARKS:
        for usage in usage_of(BENCHMARKS[slug]):
            if usage.command.startswith("evalscope"):
                assert set(re.findall(r"--[a-z][a-z-]+", usage.command)) <= told
                assert f"--datasets {slug} " in usage.command


def test_tags_filter_the_home_page(client: Client) -> None:
    import_samples("coin_flip")
    import_samples("phybench")
    page = client.get("/?tag=physics").content.decode()
    assert "PHYBench" in page and "CoinFlip" not in page
