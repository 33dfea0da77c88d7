"""Sentences that are stored in English are said in Chinese, and no floor below writes one that nobody translated."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation import override

from arena.security import url_guard
from leaderboard.sentences import knows_sentence, say_sentence
from leaderboard.sentences.calls import CALLS
from leaderboard.sentences.deeds import DEEDS
from leaderboard.sentences.formulas import FORMULAS
from leaderboard.sentences.judges import JUDGES
from leaderboard.sentences.methods import METHODS
from leaderboard.sentences.scores import SCORES
from leaderboard.sentences.sources import SOURCES

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = (*CALLS, *SCORES, *FORMULAS, *JUDGES, *DEEDS, *METHODS, *SOURCES)

# Where sentences for readers are made: what is raised there, and what these calls are given.
WRITERS = {
    "arena/llm/failure.py": {"_describe_cause", "_describe_chain"},
    "arena/llm/reply.py": {"BrokenBody"},
    "arena/llm/transport.py": {"ResponseTooLarge", "UnknownEncoding"},
    "arena/security/url_guard.py": {"UrlRefused"},
    "leaderboard/rendering/atoms.py": {"LatexFault"},
    "leaderboard/rendering/latex.py": {"LatexFault"},
    "leaderboard/rendering/math.py": {"LatexFault"},
    "leaderboard/rendering/mathml.py": {"LatexFault"},
    "scoring/answer_level.py": set(),
    "scoring/bounds.py": {"Overrun"},
    "scoring/eed.py": {"_equivalent"},
    "scoring/eed_official.py": {"_zero", "ParseError", "DeadlineExceeded"},
    "scoring/expression.py": {"Verdict"},
    "scoring/judge_verdict.py": {"VerdictError"},
    "scoring/latex.py": {"ParseError"},
    "scoring/latex_big.py": {"ParseError"},
    "scoring/latex_commands.py": {"ParseError"},
    "scoring/latex_names.py": {"ParseError"},
    "scoring/latex_parser.py": {"ParseError"},
    "scoring/latex_tokens.py": {"ParseError"},
    "scoring/numeric.py": {"right", "wrong", "undecided", "unreadable", "ParseError"},
    "scoring/quantity.py": {"ParseError", "DeadlineExceeded"},
    "scoring/size_guard.py": {"DeadlineExceeded"},
    "scoring/symbolic.py": {"ParseError", "DeadlineExceeded"},
    "scoring/value_text.py": {"DeadlineExceeded"},
    "scoring/values.py": {"right", "wrong", "undecided", "unreadable", "DeadlineExceeded"},
}
# Arguments that are no sentence for a reader: flags, and what our own callers may get wrong.
FLAGS = {"unit", "remark", "near", "string match", "trailing text", "wrong unit", "reference unparseable"}


# Values that are words themselves: in which criterion of a verdict, which kind of address.
STAND_INS = {"where": "", "reason": "private"}


def written_sentences(path: str, names: set[str]) -> Iterator[str]:
    """Every sentence that the file's calls of these names hold, with `7` for each value."""
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            for argument in node.args:
                yield from texts_of(argument, module)
        if isinstance(node, ast.FunctionDef) and node.name in names:
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and isinstance(part.value, ast.Tuple):
                    yield from texts_of(part.value.elts[-1], module)


def texts_of(node: ast.expr, module: object) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from texts_of(node.body, module)
        yield from texts_of(node.orelse, module)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(fill(part, module) for part in node.values)


def fill(part: ast.expr, module: object) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    if isinstance(part.value, ast.Name):
        known = getattr(module, part.value.id, None)
        if isinstance(known, str):
            return known
        if part.value.id in STAND_INS:
            return STAND_INS[part.value.id]
    return "'7'" if part.conversion == ord("r") else "7"


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


@pytest.mark.parametrize("path", WRITERS)
def test_every_sentence_that_is_written_there_is_known(path: str) -> None:
    found = set(written_sentences(path, WRITERS[path])) - FLAGS
    assert found or not WRITERS[path], "nothing was found: do the calls have other names now?"
    assert [text for text in sorted(found) if not knows_sentence(text)] == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "0.0.0.0",
        "169.254.7.7",
        "169.254.169.254",
        "224.0.0.1",
        "240.0.0.1",
        "fec0::1",
        "nonsense",
    ]
    + [str(network[0]) for network, _word in url_guard._ALSO_REFUSED],
)
def test_every_kind_of_refused_address_is_named_in_chinese(address: str) -> None:
    with pytest.raises(url_guard.AddressRefused) as refused, override("zh-hans"):
        url_guard.check_address(address)
    with override("zh-hans"):
        assert say_sentence(str(refused.value)).endswith("且不在允许名单中")


@pytest.mark.parametrize("template", [t for t in TEMPLATES if "%(" in t])
def test_a_sentence_keeps_its_values(template: str) -> None:
    slots = re.findall(r"%\((\w+)\)s", template)
    values = {name: f"{70 + place}" for place, name in enumerate(dict.fromkeys(slots))}
    values |= {"status": "404", "target": "s0c1"}
    with override("zh-hans"):
        said = say_sentence((template % values).replace("%%", "%"))
    assert [values[name] for name in slots if values[name] not in said] == []
    assert said != template % values or not re.search(r"[a-z]{3}", re.sub(r"%\(\w+\)s", "", template))


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ("The key was refused (401): Incorrect API key", "密钥被拒绝（401）：Incorrect API key"),
        ("No answer from 127.0.0.1:80 within 0.5 s", "127.0.0.1:80 在 0.5 秒内没有应答"),
        ("No answer from the endpoint within 20 s", "接口 在 20 秒内没有应答"),
        ("the judge: The key may not do this (403)", "裁判：该密钥无权这样做（403）"),
        ("The address 10.0.0.1 is private and not on the allow list", "地址 10.0.0.1 是专用地址，且不在允许名单中"),
        ("the answer cannot be read: a brace is not closed", "答案无法解读：花括号没有闭合"),
        ("refused: formula of more than 5000 parts", "拒绝求值：公式多于 5000 个部分"),
        ("the values differ; 3 edits on 12 nodes", "值不同；12 个节点上 3 处编辑"),
        ("item 2: 4.1 % off", "第 2 项：偏差 4.1 %"),
        ("HiPhO paper, Table 3 (arXiv:2509.07894)", "HiPhO 论文，表 3（arXiv:2509.07894）"),
        ("orders points, addresses the grader", "索要分数，直接对评分者说话"),
        ("not decided within 1 CPU seconds", "在 1 秒 CPU 时间内未能判定"),
    ],
)
def test_stored_sentences_are_said_in_chinese(stored: str, said: str) -> None:
    with override("zh-hans"):
        assert say_sentence(stored) == said
    with override("en"):
        assert say_sentence(stored) == stored


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It is not right",
        "All of it is there",
        "The answer is not correct",
        "Your quota ran out",
        "100 % sure",
        "%(name)s %s %",
        "裁判写的话",
        "private\n",
    ],
)
def test_words_of_others_stay_as_they_are(text: str) -> None:
    with override("zh-hans"):
        assert say_sentence(text) == text


def test_a_text_longer_than_a_sentence_is_not_even_looked_at() -> None:
    text = "The key was refused (401): " + "(" * 2_000_000
    with override("zh-hans"):
        assert say_sentence(text) == text


def test_language_of_one_reader_is_not_kept_for_the_next() -> None:
    with override("zh-hans"):
        assert is_chinese(say_sentence("The answer is not valid JSON"))
    with override("en"):
        assert say_sentence("The answer is not valid JSON") == "The answer is not valid JSON"
