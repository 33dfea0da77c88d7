"""The Chinese catalogue: nothing missing, nothing fuzzy, nothing stale, and the compiled file is the text's own."""

from __future__ import annotations

import ast
import gettext
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
SOURCES = ("arena", "leaderboard", "templates", "scoring", "locale")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|</?\w+>")


def read_catalogue(path: Path) -> dict[str, str]:
    """Context and msgid (as gettext joins them) -> translation; of plurals the one Chinese form."""
    found = {}
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        if not block.strip() or block.lstrip().startswith("#~"):
            continue
        context, text = read_field(block, "msgctxt"), read_field(block, "msgid")
        translation = read_field(block, "msgstr[0]" if "msgid_plural" in block else "msgstr")
        assert text is not None and translation is not None, block
        found[f"{context}\x04{text}" if context is not None else text] = translation
    return found


def read_field(block: str, name: str) -> str | None:
    match = re.search(rf'^{re.escape(name)} ((?:".*"\n?)+)', block, re.MULTILINE)
    return "".join(ast.literal_eval(line) for line in match[1].strip().split("\n")) if match else None


def test_every_message_has_a_translation_and_none_is_fuzzy() -> None:
    assert "#, fuzzy" not in CATALOGUE.read_text(encoding="utf-8")
    assert [key for key, text in read_catalogue(CATALOGUE).items() if key and not text] == []


def test_translation_keeps_the_placeholders() -> None:
    wrong = {
        key: text
        for key, text in read_catalogue(CATALOGUE).items()
        if key and sorted(PLACEHOLDER.findall(key)) != sorted(PLACEHOLDER.findall(text))
    }
    assert wrong == {}


def test_compiled_catalogue_says_what_the_text_says() -> None:
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    said = {key[0] if isinstance(key, tuple) else key: text for key, text in compiled.items() if key}
    assert said == {key: text for key, text in read_catalogue(CATALOGUE).items() if key}


def test_catalogue_holds_exactly_the_messages_of_the_pages(tmp_path: Path) -> None:
    if not shutil.which("xgettext"):
        if os.environ.get("CI") == "true":
            pytest.fail("GNU gettext is not installed")
        pytest.skip("GNU gettext is not installed")
    for name in SOURCES:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.png"))
    shutil.copy(ROOT / "manage.py", tmp_path)
    command = [sys.executable, "manage.py", "makemessages", "-l", "zh_Hans", "--no-obsolete", "--no-location"]
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "arena.settings", "PROCTOR_VAR": str(tmp_path / "var")}
    done = subprocess.run([*command, "--ignore=var"], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    extracted = read_catalogue(tmp_path / CATALOGUE.relative_to(ROOT))
    kept = read_catalogue(CATALOGUE)
    assert sorted(set(extracted) - set(kept)) == [], "new messages: run `make messages` and translate them"
    assert sorted(set(kept) - set(extracted)) == [], "messages that no page says any more: run `make messages`"
