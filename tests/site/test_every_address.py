"""Every pattern of the site leads somewhere, nothing breaks for whoever asks, and nothing withheld is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.http import HttpResponseBase
from django.test import Client

from tests.site.addresses import address_of, list_patterns, list_states
from tests.site.scene import Scene, build_scene

pytestmark = pytest.mark.django_db


def every_address(scene: Scene) -> list[str]:
    return [*(address_of(route, name, scene) for route, name in list_patterns()), *list_states(scene)]


def client_of(scene: Scene, name: str | None) -> Client:
    client = Client(raise_request_exception=False)
    if name:
        client.force_login(scene.people[name])
    return client


def body_of(response: HttpResponseBase) -> str:
    data = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[attr-defined]
    return data.decode("utf-8", "replace") + repr(dict(response.items()))


@pytest.fixture
def scene() -> Iterator[Scene]:
    yield build_scene()


def test_every_pattern_leads_somewhere_and_breaks_for_nobody(scene: Scene) -> None:
    withheld = f"/b/hipho/problems/{scene.hidden.external_id}/"
    missing = {"/nothing-is-here/", f"{withheld}?criterion=1"}
    for who in ("maintainer", "reviewer", "stranger", None):
        client = client_of(scene, who)
        for address in every_address(scene):
            status = client.get(address).status_code
            assert status < 500, (who, address)
            assert who != "maintainer" or (status == 404) == (address in missing), (status, address)


def test_withheld_references_are_told_to_no_outsider_anywhere(scene: Scene) -> None:
    for who in ("stranger", "submitter", None):
        client = client_of(scene, who)
        told = [address for address in every_address(scene) if scene.secret in body_of(client.get(address))]
        assert (who, told) == (who, [])


def test_withheld_references_are_told_to_nobody_who_tries_or_reports(scene: Scene) -> None:
    client = client_of(scene, "stranger")
    address = f"/b/hipho/problems/{scene.hidden.external_id}/"
    for tail, data in (("try/", {"reply": "\\boxed{1}"}), ("report/", {"claim": "it is wrong"})):
        assert scene.secret not in body_of(client.post(address + tail, data, follow=True))
    told = body_of(client.post(f"/review/report/{scene.hidden_reply.uuid}/", {"text": "odd"}, follow=True))
    assert scene.secret not in told


def test_the_walk_would_find_what_it_looks_for(scene: Scene) -> None:
    """A reviewer is shown the reference: the words do stand somewhere."""
    client = client_of(scene, "maintainer")
    assert any(scene.secret in body_of(client.get(address)) for address in every_address(scene))
