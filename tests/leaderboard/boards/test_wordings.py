"""Words kept in English are said in Chinese where the reader reads Chinese."""

from __future__ import annotations

import numpy as np
import pytest
from django.test import Client
from django.utils.translation import override

from arena.benchmarks import BENCHMARKS
from arena.services import baselines
from leaderboard.selectors.formats import print_cost, print_points_gap, print_signed
from leaderboard.selectors.medals import MODALITIES
from leaderboard.selectors.wordings import say_floor, say_group, say_modality, say_tag
from leaderboard.sentences import say_sentence
from leaderboard.statistics.intervals import count_note, mean_interval
from scoring.values import KINDS
from tests.factories import import_samples


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def test_every_tag_modality_answer_type_and_floor_has_a_chinese_word() -> None:
    floors = (baselines.ALWAYS_YES, baselines.RANDOM_CHOICE, baselines.MOST_FREQUENT, baselines.EMPTY_REPLY)
    with override("zh-hans"):
        said = [say_tag(tag) for adapter in BENCHMARKS.values() for tag in adapter.tags]
        said += [say_modality(name) for _short, name in MODALITIES] + [say_floor(name) for name in floors]
        said += [say_group(kind) for kind in KINDS]
    assert [text for text in said if not is_chinese(text)] == []


@pytest.mark.parametrize("values", [[], [np.nan], [0.25, 0.75], [0.25] * 40])
def test_every_note_of_an_interval_has_a_chinese_sentence(values: list[float]) -> None:
    note = mean_interval(np.array(values), np.arange(len(values))).note
    assert note
    with override("zh-hans"):
        assert is_chinese(say_sentence(note))
    with override("en"):
        assert say_sentence(note) == note


@pytest.mark.parametrize("noun", ["problems", "items"])
@pytest.mark.parametrize("n_clusters", [1, 2])
@pytest.mark.parametrize("n", [2, 8])
def test_a_count_keeps_its_numbers_in_both_languages(noun: str, n_clusters: int, n: int) -> None:
    note = count_note(n_clusters, n, noun)
    with override("en"):
        assert say_sentence(note) == note
    with override("zh-hans"):
        said = say_sentence(note)
    assert is_chinese(said) and str(n_clusters) in said and (str(n) in said)


def test_a_word_nobody_knows_stays_as_it_is() -> None:
    with override("zh-hans"):
        assert say_tag("odd") == say_modality("odd") == say_floor("odd") == "odd"
        assert say_group("odd_ones") == "odd ones"


@pytest.mark.django_db
def test_the_chinese_home_page_and_card_say_their_tags_in_chinese(client: Client) -> None:
    import_samples("coin_flip")
    for address in ("/", "/b/coin_flip/about/"):
        page = client.get(address, headers={"accept-language": "zh-hans"}).content.decode()
        assert ">推理</a>" in page and ">reasoning</a>" not in page and "?tag=reasoning" in page


def test_numbers_are_written_as_people_read_them() -> None:
    costs = {None: "–", 0.0: "$0", 0.000066: "$0.000066", 0.00123: "$0.0012", 0.5: "$0.5", 1.2: "$1.20"}
    assert {usd: print_cost(usd) for usd in costs} == costs
    assert print_points_gap(0.0004, -0.0004, 0.12) == "0.0 [0.0, +12.0]", "nothing has no sign"
    assert print_signed("f1_score", float("nan")) == "–"
