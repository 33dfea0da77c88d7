"""Names blacked out in a text, letter by letter, so that every offset in it stays what it was."""

from __future__ import annotations

import re
from collections.abc import Iterable

BLOCK = "█"

# What models call themselves and their makers. No word here is a term of physics.
FAMILIES = (
    "ChatGPT", "OpenAI", "Claude", "Anthropic", "Gemini", "Bard", "DeepMind", "LLaMA", "Qwen", "Tongyi", "Alibaba",
    "DeepSeek", "Mistral", "Mixtral", "Grok", "xAI", "Kimi", "Moonshot", "ChatGLM", "Zhipu", "ERNIE", "Baidu",
    "Doubao", "ByteDance", "Hunyuan", "InternLM", "InternVL", "Yi-Large", "Command R", "Cohere", "MiniMax", "StepFun",
)  # fmt: skip
_PATTERNS = (r"GPT[- ]?\d[\w.-]*", r"GLM[- ]?\d[\w.-]*", r"\bo[134](?:-mini|-preview|-pro)\b")
_SHORTEST = 3


def mask_names(text: str, names: Iterable[str] = ()) -> str:
    """The text with these names and the known families of models as blocks of the same length.

    Letter case does not matter; a name within a longer word is no name.
    """
    words = sorted({name.strip() for name in (*names, *FAMILIES) if len(name.strip()) >= _SHORTEST}, key=len)
    alternatives = [_as_pattern(word) for word in reversed(words)]
    pattern = re.compile("|".join([*alternatives, *_PATTERNS]), re.IGNORECASE)
    return pattern.sub(lambda match: BLOCK * len(match[0]), text)


def _as_pattern(name: str) -> str:
    """The name as a whole word; spaces, hyphens and underscores in it are one and the same."""
    body = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", name)))
    return rf"(?<!\w){body}(?!\w)"
