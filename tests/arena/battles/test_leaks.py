"""A reply that says who it is: found before the battle, masked or left out, counted."""

from __future__ import annotations

import pytest

from arena.models import LeakCheck
from arena.services.entrants import get_entrant
from arena.services.leaks import MASK, MOST_MASKED, check_reply, find_leaks, own_names
from tests.arena.battles.scenes import publish_run


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm Claude, made by Anthropic.", ("Claude", "Anthropic")),
        ("As an AI language model developed by Google, I think so.", ("Google",)),
        ("I was trained by Meta.", ("Meta",)),
        ("**Qwen2.5-VL-72B** would say:", ("Qwen2.5-VL-72B",)),
        ("Gem\u200bini here", ("Gem\u200bini",)),
        ("C_l_a_ude", ("C_l_a_ude",)),
        ("Ｃｈａｔ ＧＰＴ", ("Ｃｈａｔ ＧＰＴ",)),
        ("deepseek-r1 and DeepSeek V3", ("deepseek-r1", "DeepSeek V3")),
        ("我是由阿里云开发的通义千问。", ("阿里云", "通义千问")),
        ("I am o3.", ("o3",)),
        ("Claude Opus 4.6", ("Claude Opus 4.6",)),
        ("a Llama-3.1-405B-Instruct reply", ("Llama-3.1-405B-Instruct",)),
    ],
)
def test_names_are_masked_however_they_are_written(text: str, words: tuple[str, ...]) -> None:
    leaks = find_leaks(text)
    assert leaks.words == words
    assert leaks.text.count(MASK) == len(words)
    assert not any(word in leaks.text for word in words)


@pytest.mark.parametrize(
    "text",
    [
        r"the angle \phi and the flux $\Phi$, Phi = 3",
        "As a first step, a solar falcon near a titan of yi",
        "O3 is ozone; o3 absorbs. The meta-stable state on command",
        "the minimax principle; a steady state",
        "llamas? no: laments",
    ],
)
def test_physics_and_plain_words_are_no_names(text: str) -> None:
    assert find_leaks(text, ("Demo Steady",)).words == ()


def test_a_name_that_the_problem_uses_is_no_leak() -> None:
    assert find_leaks("Gemini rises at 9", (), "When does Gemini rise?").words == ()
    assert find_leaks("I am Claude", (), "When does Gemini rise?").words == ("Claude",)


@pytest.mark.django_db
def test_the_entrants_own_names_are_on_its_list() -> None:
    names = own_names(get_entrant("Zebra-7B (high)", "Stripe Works"), ["stripes/zebra-7b-chat"])
    leaks = find_leaks("Zebra 7B by Stripe Works; zebra-7b-chat; a zebra crossing", names)
    assert leaks.words[:3] == ("Zebra 7B", "Stripe Works", "zebra-7b-chat")


@pytest.mark.django_db
def test_a_short_plain_name_counts_only_as_it_is_written() -> None:
    names = own_names(get_entrant("Model A"))
    assert find_leaks("we model a charge. Model A", names).words == ("Model A",)


@pytest.mark.django_db
def test_what_was_found_is_noted_once_a_reply() -> None:
    run = publish_run("Zebra", words=lambda name, problem: "I am ChatGPT. ANSWER: YES")
    reply = run.replies.select_related("run__entrant", "run__endpoint").first()
    assert reply is not None
    for _ in range(2):
        assert check_reply(reply, reply.problem).words == ("ChatGPT",)
    assert LeakCheck.objects.get().n_hits == 1
    assert not LeakCheck.objects.get().is_left_out


@pytest.mark.django_db
def test_a_reply_about_itself_is_left_out() -> None:
    run = publish_run("Zebra", words=lambda name, problem: "ChatGPT! " * MOST_MASKED)
    reply = run.replies.select_related("run__entrant", "run__endpoint").first()
    assert reply is not None
    assert check_reply(reply, reply.problem).is_left_out
    assert LeakCheck.objects.get().is_left_out
