"""Starting a run asks the endpoint first, and no key is lost on the way without a word."""

from __future__ import annotations

import re
import socket

import pytest
from django.test import Client

from arena.models import Endpoint, Run
from arena.services.keys import key_of
from tests.factories import import_samples
from tests.fake_llm import FakeLLM, FakeRequest, fail, say
from tests.leaderboard.submissions.test_submit import sign_in, typed

pytestmark = pytest.mark.django_db

KEY = "sk-CANARY-0123456789"


@pytest.fixture
def submitter(client: Client) -> Client:
    import_samples("coin_flip")
    return sign_in(client)


def closed_url() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def needs_key(request: FakeRequest):  # type: ignore[no-untyped-def]
    return say("ANSWER: YES") if request.key == KEY else fail(401)


def test_dead_endpoint_is_told_beside_its_field_and_starts_only_when_somebody_insists(submitter: Client) -> None:
    url = closed_url()
    page = submitter.post("/submit/", typed(url, api_key="")).content.decode()
    assert 'id="id_base_url_error"' in page and "Nothing was started" in page and 'value="start-anyway"' in page
    assert not Run.objects.exists()
    assert submitter.post("/submit/", typed(url, api_key="", act="start-anyway")).status_code == 302
    assert Run.objects.count() == 1


def test_form_offers_to_start_anyway_only_after_a_failed_check(submitter: Client) -> None:
    assert "start-anyway" not in submitter.get("/submit/").content.decode()
    page = submitter.post("/submit/", typed("http://127.0.0.1:9/v1", limit="-3")).content.decode()
    assert "start-anyway" not in page, "nobody asked the endpoint yet"


def test_refused_key_is_told_beside_the_key(submitter: Client) -> None:
    with FakeLLM(needs_key) as server:
        page = submitter.post("/submit/", typed(server.base_url, api_key="sk-another-key-987")).content.decode()
    assert 'id="id_api_key_error"' in page and "The key was refused" in page and "sk-another" not in page
    assert not Run.objects.exists()


def test_unknown_model_is_told_beside_the_model(submitter: Client) -> None:
    with FakeLLM([fail(404, "no such model")], models=("borealis",)) as server:
        page = submitter.post("/submit/", typed(server.base_url)).content.decode()
    assert 'id="id_api_model_error"' in page and "borealis" in page and not Run.objects.exists()


def test_busy_endpoint_is_no_reason_to_ask(submitter: Client) -> None:
    with FakeLLM([fail(429)]) as server:
        assert submitter.post("/submit/", typed(server.base_url)).status_code == 302


def test_own_judge_is_asked_too(client: Client) -> None:
    import_samples("hipho")
    judge = {"judge_model": "judge-x", "judge_base_url": closed_url(), "judge_api_key": "sk-judge-key-123"}
    with FakeLLM([say("OK")]) as server:
        data = typed(server.base_url, benchmark="hipho", shots="", **judge)
        page = sign_in(client).post("/submit/", data).content.decode()
    assert 'id="id_judge_base_url_error"' in page and not Run.objects.exists()


def test_key_that_an_error_emptied_is_asked_for_again(submitter: Client) -> None:
    with FakeLLM([say("ANSWER: YES")]) as server:
        page = submitter.post("/submit/", typed(server.base_url, limit="-3")).content.decode()
        assert KEY not in page and 'name="keys_given" value="api_key"' in page and 'id="id_api_key_error"' in page
        corrected = typed(server.base_url, api_key="", keys_given="api_key")
        page = submitter.post("/submit/", corrected).content.decode()
        assert 'id="id_api_key_error"' in page and 'name="no_key"' in page and not Run.objects.exists()
        page = submitter.post("/submit/", corrected | {"act": "start-anyway"}).content.decode()
        assert 'id="id_api_key_error"' in page, "insisting on the endpoint says nothing of the key"
        assert submitter.post("/submit/", corrected | {"api_key": KEY}).status_code == 302
    assert key_of(Endpoint.objects.get()) == KEY


def test_start_without_the_key_typed_before_is_a_choice(submitter: Client) -> None:
    with FakeLLM([say("ANSWER: YES")]) as server:
        corrected = typed(server.base_url, api_key="", keys_given="api_key", no_key="on")
        assert submitter.post("/submit/", corrected).status_code == 302
    assert key_of(Endpoint.objects.get()) == ""


def test_key_typed_before_a_check_without_scripts_is_asked_for_again(submitter: Client) -> None:
    with FakeLLM([say("OK")]) as server:
        page = submitter.post("/submit/", typed(server.base_url, act="check")).content.decode()
    assert 'name="keys_given" value="api_key"' in page and "type it again" in page and KEY not in page


def test_name_that_is_too_long_is_refused_and_not_cut(submitter: Client) -> None:
    page = submitter.get("/submit/").content.decode()
    assert "maxlength" not in re.search(r'<input[^>]*name="model"[^>]*>', page)[0]
    page = submitter.post("/submit/", typed("http://127.0.0.1:9/v1", model="A" * 201)).content.decode()
    assert 'id="id_model_error"' in page and "A" * 201 in page
