"""The submit form: defaults, estimates, errors beside their fields, and a run that belongs to who started it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.models import Endpoint, Run, Submission
from arena.services.choices import estimate_run, read_choices
from arena.services.runs import RunRequest
from tests.factories import import_samples, make_cast
from tests.fake_llm import FakeLLM, echo_key, say

pytestmark = pytest.mark.django_db

FIELDS = {
    "coin_flip": "model organisation base_url api_key api_model benchmark split limit shots repeats temperature "
    "max_tokens reasoning_effort",
    "hipho": "subsets max_image_bytes judge_strategy judge_model judge_base_url judge_api_key",
    "arc_indic": "subsets",
}


def sign_in(client: Client, name: str = "submitter") -> Client:
    client.force_login(make_cast()[name])
    return client


def typed(base_url: str, **changes: str) -> dict[str, str]:
    return {
        "model": "Aurora-2",
        "organisation": "Aurora Lab",
        "base_url": base_url,
        "api_key": "sk-CANARY-0123456789",
        "api_model": "aurora",
        "benchmark": "coin_flip",
        "split": "test",
        "limit": "",
        "shots": "0",
        "repeats": "1",
        "temperature": "0",
        "max_tokens": "2048",
        "reasoning_effort": "",
        **changes,
    }


def test_visitor_is_sent_to_sign_in_and_back(client: Client) -> None:
    answer = client.get("/submit/")
    assert answer.status_code == 302 and answer["Location"] == "/accounts/login/?next=/submit/"


def test_site_without_a_benchmark_says_so(client: Client) -> None:
    assert "No benchmark yet" in sign_in(client).get("/submit/").content.decode()


@pytest.mark.parametrize("slug", FIELDS)
def test_every_choice_has_its_default_and_its_reason(client: Client, slug: str) -> None:
    import_samples(slug)
    page = sign_in(client).get(f"/submit/?benchmark={slug}").content.decode()
    for name in FIELDS[slug].split():
        assert f'name="{name}"' in page, name
        assert f'id="id_{name}_helptext"' in page, f"{name} says why"
    assert f'value="{read_choices(slug).default_max_tokens}"' in page


def test_rule_scored_benchmark_asks_for_no_judge(client: Client) -> None:
    import_samples("coin_flip")
    assert "judge_model" not in sign_in(client).get("/submit/?benchmark=coin_flip").content.decode()


def test_estimate_counts_problems_figures_and_tokens() -> None:
    import_samples("hipho")
    whole = estimate_run(RunRequest(benchmark="hipho", model="-", base_url=""))
    assert whole.calls == whole.problems > 0 and whole.figures > 0 and whole.figure_bytes > 1000
    assert whole.output_tokens_max == whole.calls * 32768
    assert whole.judge_calls_max >= whole.problems
    one = estimate_run(RunRequest(benchmark="hipho", model="-", base_url="", limit=1, repeats=3))
    assert one.calls == 3 * one.problems and one.problems == len(read_choices("hipho").subsets)
    assert 0 < one.input_tokens < whole.input_tokens * 3


def test_estimate_follows_what_was_typed(client: Client) -> None:
    import_samples("coin_flip")
    page = (
        sign_in(client).get("/submit/?benchmark=coin_flip&part=estimate&limit=2&repeats=3&split=test").content.decode()
    )
    assert "6 calls" in page and "<h1>" not in page


def test_submitter_starts_a_private_run_that_belongs_to_them(client: Client) -> None:
    import_samples("coin_flip")
    with FakeLLM([say("ANSWER: YES")]) as server:
        answer = sign_in(client).post("/submit/", typed(server.base_url), follow=True)
    submission = Submission.objects.get()
    assert answer.redirect_chain[-1][0] == f"/submissions/{submission.uuid}/"
    run = submission.runs.get()
    assert run.owner == submission.owner == submission.entrant.owner
    assert submission.visibility == "private" and run.published_at is None
    assert run.params["max_tokens"] == 2048 and run.endpoint.api_model == "aurora"
    assert "CANARY" not in run.endpoint.key_ciphertext and run.endpoint.key_ciphertext.startswith("t1:")
    assert "sk-CANARY" not in answer.content.decode()


def test_errors_stand_beside_their_fields_and_nothing_typed_is_lost(client: Client) -> None:
    import_samples("coin_flip")
    data = typed("not a url", limit="-3", temperature="9", organisation="Näher & Co", api_model="kept-id")
    page = sign_in(client).post("/submit/", data).content.decode()
    for name in ("limit", "temperature"):
        assert f'id="id_{name}_error"' in page, name
    for value in ("not a url", "-3", "9", "kept-id", "Näher &amp; Co", "Aurora-2"):
        assert f'value="{value}"' in page, value
    assert "CANARY" not in page and "type it again" in page
    assert not Run.objects.exists() and not Endpoint.objects.exists()


def test_endpoint_that_may_not_be_used_is_refused_beside_its_field(client: Client) -> None:
    import_samples("coin_flip")
    for url in ("http://169.254.169.254/v1", "ftp://127.0.0.1/v1", "http://10.0.0.8/v1"):
        page = sign_in_again(client).post("/submit/", typed(url)).content.decode()
        assert re.search(r'id="id_base_url_error"', page), url
    assert not Endpoint.objects.exists()


@pytest.mark.parametrize("act", ["submit", "start-anyway"])
def test_key_that_no_request_can_carry_is_refused_beside_its_field(client: Client, act: str) -> None:
    import_samples("coin_flip")
    data = typed("http://127.0.0.1:9/v1", api_key="кл\nюч", act=act)
    page = sign_in(client).post("/submit/", data).content.decode()
    assert 'id="id_api_key_error"' in page and "no HTTP header can carry" in page
    assert 'id="id_base_url_error"' not in page and not Endpoint.objects.exists()


def sign_in_again(client: Client) -> Client:
    from arena.models import User

    client.force_login(User.objects.filter(username="submitter").first() or make_cast()["submitter"])
    return client


def test_judged_benchmark_without_an_official_judge_asks_for_ones_own(client: Client) -> None:
    import_samples("hipho")
    with FakeLLM([say("x")]) as server:
        page = (
            sign_in(client).post("/submit/", typed(server.base_url, benchmark="hipho", split="test")).content.decode()
        )
    assert 'id="id_judge_model_error"' in page and not Run.objects.exists()


def test_own_judge_needs_its_endpoint(client: Client) -> None:
    import_samples("hipho")
    with FakeLLM([say("x")]) as server:
        data = typed(server.base_url, benchmark="hipho", judge_model="judge-x")
        assert 'id="id_judge_base_url_error"' in sign_in(client).post("/submit/", data).content.decode()
        answer = client.post(
            "/submit/", {**data, "judge_base_url": server.base_url, "judge_api_key": "sk-judge-key-123"}
        )
    assert answer.status_code == 302
    run = Run.objects.get()
    assert run.is_own_judge and run.judge_endpoint.key_ciphertext and run.judge_endpoint != run.endpoint


def test_check_tells_in_plain_words_and_keeps_what_was_typed(client: Client) -> None:
    import_samples("coin_flip")
    sign_in(client)
    with FakeLLM([say("OK")], models=("aurora",)) as server:
        page = client.post("/submit/", typed(server.base_url, act="check")).content.decode()
    assert "The endpoint works" in page and 'value="Aurora-2"' in page and "CANARY" not in page
    with FakeLLM(echo_key(401)) as server:
        page = client.post("/submit/", typed(server.base_url, act="check", part="endpoint")).content.decode()
    assert "cannot be used" in page and "CANARY" not in page and "<h1>" not in page
    page = client.post("/submit/", typed("", act="check")).content.decode()
    assert "Type the endpoint URL first" in page
    assert not Run.objects.exists() and not Endpoint.objects.exists()


def test_name_of_people_or_a_baseline_is_refused(client: Client) -> None:
    import_samples("coin_flip")
    with FakeLLM([say("x")]) as server:
        page = sign_in(client).post("/submit/", typed(server.base_url, model="always  yes")).content.decode()
    assert 'id="id_model_error"' in page and not Run.objects.exists()


def test_switching_the_benchmark_without_scripts_keeps_the_endpoint(client: Client) -> None:
    import_samples("coin_flip")
    import_samples("hipho")
    data = typed("http://127.0.0.1:9/v1", benchmark="hipho", act="show")
    page = sign_in(client).post("/submit/", data).content.decode()
    assert 'value="http://127.0.0.1:9/v1"' in page and 'value="32768"' in page and "CANARY" not in page
