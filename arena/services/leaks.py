"""Identity leaks: a reply that names its model or maker is masked before it fights, or left out where masking fails.

Two sources: a list of model families and makers, and the entrant's own name, organisation and API name. A word that
the problem itself uses is no leak. Letters may be parted by zero-width characters or emphasis and still count.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from arena.models import Entrant, LeakCheck, Problem, Reply

MASK = "▒▒▒▒"
MOST_MASKED = 8  # from here on the reply is about itself: it is left out

# Names that no physics text uses for anything else.
FAMILIES = (
    "Chat GPT", "GPT-3.5", "GPT-4", "GPT-4o", "GPT-5", "GPT-oss", "Open AI", "Claude", "Anthropic", "Gemini", "Bard",
    "Deep Mind", "PaLM 2", "Gemma", "Llama", "Meta AI", "Mistral", "Mixtral", "Magistral", "Pixtral", "Codestral",
    "Qwen", "QwQ", "QVQ", "Tongyi", "Alibaba", "Alibaba Cloud", "Deep Seek", "Moonshot AI", "Kimi", "Chat GLM", "GLM-4",
    "Zhipu", "Z.ai", "Baichuan", "ERNIE Bot", "Baidu", "Hunyuan", "Tencent", "Doubao", "ByteDance", "Intern LM",
    "Intern VL", "Intern-S1", "SenseNova", "SenseTime", "StepFun", "Grok", "xAI", "Cohere", "Command R+", "AI21",
    "Nemotron", "Vicuna", "Alpaca", "Bing Chat", "Copilot", "WizardLM", "OpenHermes", "Phi-3", "Phi-4", "Sarvam AI",
    "Krutrim", "Airavata", "Seed-VL", "MiMo-VL", "Ling-1T", "EXAONE",
    "通义千问", "通义", "千问", "文心一言", "豆包", "智谱", "月之暗面", "深度求索", "百川", "混元", "讯飞星火",
    "阿里云", "阿里巴巴", "百度", "腾讯", "字节跳动", "商汤", "阶跃星辰",
    "चैटजीपीटी", "ओपनएआई", "जेमिनी", "क्लॉड", "சாட்ஜிபிடி", "চ্যাটজিপিটি", "ఓపెన్ఏఐ",
)  # fmt: skip
# Words that are also physics or plain language: they count only where a model speaks of itself, written as a name.
AMBIGUOUS = ("Google", "Meta", "Microsoft", "Amazon", "Apple", "NVIDIA", "IBM", "Phi", "Yi", "Nova", "Titan", "Falcon",
             "Orca", "Command", "Solar", "Step", "Bloom", "Seed", "ERNIE", "GPT", "GLM", "Spark", "MiniMax", "MiMo",
             "Ling", "Jamba", "Zephyr", "o1", "o3", "o4")  # fmt: skip
_SELF = (
    r"\bI\W?a?m\b", r"\bI\s+was\b", r"\bmy\s+name\s+is\b", r"\bas\s+an?\s+(?:AI|language|large)\b",
    r"\b(?:made|built|trained|developed|created|released|designed)\s+by\b",
    r"\b(?:model|assistant)\s+(?:called|named|from)\b", "我是", "我叫", "由", "作为", "मैं", "ನಾನು", "நான்", "আমি", "నేను",
)  # fmt: skip
_TIERS = (
    r"Pro|Flash|Ultra|Opus|Sonnet|Haiku|Mini|Nano|Turbo|Max|Plus|Coder|Instruct|Chat|Thinking|Reasoner|Preview|[RV]\d"
)

_GAP = "[\u00ad\u200b-\u200f\u2060\ufeff*_`~]*"  # what may hide between two letters
_SPACE = r"[ \u00a0._\-–]*"


@dataclass(frozen=True, slots=True)
class Leaks:
    """A reply's text with its names masked. words: what was found, in order, as it stood."""

    text: str
    words: tuple[str, ...]

    @property
    def n_hits(self) -> int:
        return len(self.words)

    @property
    def is_left_out(self) -> bool:
        return self.n_hits >= MOST_MASKED


def find_leaks(text: str, own_names: Sequence[str] = (), problem_text: str = "") -> Leaks:
    """Mask every name in `text` that would tell whose reply it is; a name in the problem's text stays."""
    folded = _fold(text)
    known = _squeeze(problem_text)
    spans: list[tuple[int, int]] = []
    for start, end in _matches(folded, tuple(own_names)):
        if spans and start < spans[-1][1]:
            continue
        if known and _squeeze(text[start:end]) in known:
            continue
        spans.append((start, end))
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], MASK]
        last = end
    return Leaks("".join([*parts, text[last:]]), tuple(text[start:end] for start, end in spans))


def own_names(entrant: Entrant, api_models: Iterable[str] = ()) -> tuple[str, ...]:
    """What would give this entrant away: its name with and without its setting, its maker, its API name."""
    found = [entrant.name, re.sub(r"\s*[(（][^)）]*[)）]", "", entrant.name), entrant.organisation]
    for name in api_models:
        found += [name, name.rsplit("/", 1)[-1]]
    found += [head for name in tuple(found) if (head := _family_of(name))]
    return tuple(dict.fromkeys(name.strip() for name in found if len(name.strip()) >= 3))


def check_reply(reply: Reply, problem: Problem) -> Leaks:
    """The reply as it may be shown in a battle; what was found is noted once, so that it can be counted."""
    endpoint = reply.run.endpoint
    names = own_names(reply.run.entrant, [endpoint.api_model] if endpoint else [])
    leaks = find_leaks(reply.text, names, f"{problem.context}\n{problem.statement}\n{problem.choices}")
    LeakCheck.objects.get_or_create(
        reply=reply,
        version=_version(names),
        defaults={"n_hits": leaks.n_hits, "words": list(leaks.words)[:20], "is_left_out": leaks.is_left_out},
    )
    return leaks


def _version(names: tuple[str, ...]) -> str:
    return hashlib.sha256("\0".join([*FAMILIES, *AMBIGUOUS, *names]).encode()).hexdigest()[:16]


def _family_of(name: str) -> str:
    """`Qwen` of `Qwen2.5-VL-72B`: letters that a number follows; four at least, or a word would be taken."""
    head = re.match(r"([A-Za-z]{4,})[\s\-_]?v?\d", name.strip())
    return head[1] if head else ""


def _matches(text: str, names: tuple[str, ...]) -> list[tuple[int, int]]:
    found = [match.span() for match in _family_pattern().finditer(text)]
    found += [match.span("name") for match in _self_pattern().finditer(text)]
    # A short name of plain words ("Model A") counts only as it is written, or half of all texts would hold it.
    for is_short in (False, True):
        chosen = tuple(
            name for name in names if (len(_squeeze(name)) < 8 and name.replace(" ", "").isalpha()) == is_short
        )
        if chosen:
            found += [match.span() for match in _pattern(chosen, is_short).finditer(text)]
    return sorted(found, key=lambda span: (span[0], -span[1]))


@lru_cache(1)
def _family_pattern() -> re.Pattern[str]:
    return _pattern(FAMILIES)


@lru_cache(1)
def _self_pattern() -> re.Pattern[str]:
    names = "|".join(_spell(name) for name in AMBIGUOUS)
    before, after = "(?<![A-Za-z0-9])", "(?![A-Za-z0-9])"
    return re.compile(rf"(?i:{'|'.join(_SELF)})[^.\n。]{{0,40}}?{before}(?P<name>{names}){after}")


@lru_cache(512)
def _pattern(names: tuple[str, ...], is_exact: bool = False) -> re.Pattern[str]:
    """Whole words, longest first, with what follows the name: version, size and tier (`-72B`, ` Opus 4`, `-mini`)."""
    spelt = sorted((_spell(_fold(name)) for name in names), key=len, reverse=True)
    tail = rf"(?:[\s\-]?(?:v?\d[\w.]*\w|\d|(?:{_TIERS})(?![A-Za-z])))*(?:-\w+)*"
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(spelt)}){tail}(?![A-Za-z])", 0 if is_exact else re.IGNORECASE)


def _spell(name: str) -> str:
    """The name as a pattern: its parts with any separator, its letters with anything invisible between them."""
    parts = [part for part in re.split(r"[\s._\-–]+", name) if part]
    return _SPACE.join(_GAP.join(re.escape(letter) for letter in part) for part in parts)


def _fold(text: str) -> str:
    """Full-width and styled letters as plain ones, each character staying one character."""
    if text.isascii():
        return text
    return "".join(plain if len(plain := unicodedata.normalize("NFKC", c)) == 1 else c for c in text)


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]+", "", _fold(text)).lower()
