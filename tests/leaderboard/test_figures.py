"""Figures are served by their SHA-256, immutable, and only where the benchmark's licence lets us show them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from arena.models import DatasetRevision, Figure
from tests.factories import import_samples

pytestmark = pytest.mark.django_db


def figure_url(slug: str) -> str:
    figure = Figure.objects.filter(problem__subset__benchmark__slug=slug).select_related("image").latest("pk")
    return reverse("figure", args=[slug, figure.image.sha256])


def test_figure_is_immutable_and_of_its_true_type() -> None:
    import_samples("hipho")
    response = Client().get(figure_url("hipho"))
    assert response.status_code == 200 and response["Content-Type"] == "image/png"
    assert "immutable" in response["Cache-Control"]
    assert b"".join(response.streaming_content)[:4] == b"\x89PNG"  # type: ignore[attr-defined]


def test_textbook_figures_are_not_served_and_the_page_says_so(shared: Path) -> None:
    import_samples("phyx_oe", shared / "data/phyx/phyx_cards_7.jsonl")
    assert Client().get(figure_url("phyx_oe")).status_code == 404
    page = Client().get(reverse("problem", args=["phyx_oe", "correct-1"]))
    assert b"its licence does not allow it" in page.content and b"/figures/" not in page.content


def test_our_own_drawings_are_shown_on_the_same_benchmark() -> None:
    import_samples("phyx_oe")
    assert DatasetRevision.objects.get().is_sample
    assert Client().get(figure_url("phyx_oe")).status_code == 200
    assert b"/figures/" in Client().get(reverse("problem", args=["phyx_oe", "0"])).content


def test_figure_of_another_benchmark_is_not_found() -> None:
    import_samples("hipho")
    assert Client().get(figure_url("hipho").replace("/b/hipho/", "/b/coin_flip/")).status_code == 404
