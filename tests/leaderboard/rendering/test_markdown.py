"""Markdown of any quality to safe HTML."""

from __future__ import annotations

import re
import time

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.utils.safestring import SafeString

from leaderboard.rendering.figures import FigureView, figures_not_placed
from leaderboard.rendering.markdown import MAX_CHARACTERS, render_cached, render_text
from leaderboard.rendering.quotes import QuoteSpan

FIGURE = FigureView("/figures/ab12", 640, 480, "A ladder")


def formulas(html: str) -> list[str]:
    """The LaTeX of every formula set, in order."""
    return [
        source.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        for source in re.findall(r'<annotation encoding="application/x-tex">(.*?)</annotation>', html, re.DOTALL)
    ]


def words(html: str) -> str:
    """What a reader sees outside formulas."""
    bare = re.sub(r"<math.*?</math>", "¤", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", bare)).strip()


def test_result_is_safe() -> None:
    assert isinstance(render_text("x"), SafeString)


@pytest.mark.parametrize(
    "text",
    [
        "It costs $29 and $199.",
        "$5-$10",
        "US$5 and US$6",
        "earns $12 x 5 =$60",
        "**$2**, so 9 x $2 = $18",
        "花了$5，又花了$6。",
    ],
)
def test_money_stays_money(text: str) -> None:
    html = render_text(text)
    assert "<math" not in html and "math-error" not in html
    assert words(html).count("$") == text.count("$")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"so \(x_1\) is", [r"x_1"]),
        (r"\[ E = mc^2 \]", [r"E = mc^2"]),
        ("$$\na = b\n$$", ["a = b"]),
        ("inline $$x$$ double", ["x"]),
        (r"\begin{align} a &= b \\ c &= d \end{align}", [r"\begin{align} a &= b \\ c &= d \end{align}"]),
        (r"The answer is \boxed{42}.", [r"\boxed{42}"]),
        (r"\boxed{$\frac{1}{2}$}", [r"\boxed{$\frac{1}{2}$}"]),
        (r"\\( x \\) and \\[ y \\]", ["x", "y"]),
        ("质量$m$，速度$v$", ["m", "v"]),
        ("$ u$ and $ x $", ["u", "x"]),
        ("costs $5 while $x$ grows", ["x"]),
        (r"**bold $a_b$ and *$c_d$***", ["a_b", "c_d"]),
        ("$a_1$ and $a_2$ and `$a_3$`", ["a_1", "a_2"]),
        ("> $$\n> x = y\n> $$", ["x = y"]),
        ("- item\n    \\[ z \\]", ["z"]),
        (r"$\text{for $x>0$}$", [r"\text{for $x>0$}"]),
        ("\\[\na\n\nb\n\\]", ["a\n\nb"]),
    ],
)
def test_formulas_are_found(text: str, expected: list[str]) -> None:
    assert formulas(render_text(text)) == expected


def test_an_unbalanced_dollar_harms_only_its_paragraph() -> None:
    html = render_text("first $x and more\n\nsecond $y$ fine\n\n\\[ z\n\nthird \\(w\\)")
    assert formulas(html) == ["y", "w"]


def test_a_bar_in_a_formula_does_not_cut_a_table_cell() -> None:
    html = render_text("| a | b |\n|--:|---|\n| $|x|$ | c |")
    assert formulas(html) == ["|x|"]
    assert html.count("<td") == 2
    assert 'class="align-right"' in html and 'scope="col"' in html and "style" not in html


def test_a_line_without_bars_after_a_table_is_its_caption_not_a_row() -> None:
    html = render_text("|a|b|\n-|-\n1|$x$\nTable 1. Numbers")
    assert html.count("<tr") == 2
    assert '</table></div>\n<p dir="auto">Table 1. Numbers</p>' in html


def test_unknown_latex_shows_its_source_with_a_hint() -> None:
    html = render_text(r"so $\badmacro{3}$ holds")
    assert r'<code class="math-error"' in html and r"\badmacro{3}</code>" in html and "unknown command" in html


def test_broken_formula_harms_no_other() -> None:
    html = render_text(r"$\frac{1}{$ and $x$")
    assert "math-error" in html and formulas(html) == ["x"]


def test_tags_stay_visible_as_text() -> None:
    assert "&lt;scratchpad&gt;hm&lt;/scratchpad&gt;" in render_text("<scratchpad>hm</scratchpad>")
    assert "&lt;answer&gt;" in render_text("<answer>4</answer>")


def test_thinking_is_folded_and_open_where_it_is_the_solution() -> None:
    text = "<think>\nlong $x$\n</think>\nThe answer."
    html = render_text(text)
    assert '<details class="fold think"><summary>' in html and "&lt;think&gt;" in html and "&lt;/think&gt;" in html
    assert html.index("</details>") < html.index("The answer")
    assert '<details class="fold think" open' in render_text(text, open_think=True)


def test_thinking_without_its_opening_tag_or_without_its_end() -> None:
    html = render_text("begun in the prompt\n</think>\nanswer")
    assert html.index("begun") < html.index("</details>") < html.index("answer")
    assert "cut off here</p>\n</details>" in render_text("<think>\nthe reply was cut off here")


def test_a_tag_amid_a_sentence_or_in_code_folds_nothing() -> None:
    assert "<details" not in render_text("the <think> tag")
    assert "<details" not in render_text("`<think>`\n\n```\n<think>\n```")


def test_figures_stand_at_their_tokens() -> None:
    html = render_text("See [figure1]\n\n[figure1]\nFigure A.", figures=[FIGURE])
    assert html.count("<img") == 2 and html.count("<figure") == 1
    assert 'width="555" height="416"' in html and 'alt="A ladder"' in html and 'class="figure-zoom"' in html
    assert '<p dir="auto"><figure' not in html


def test_a_token_without_figure_says_so_and_without_figures_is_text() -> None:
    assert "figure-missing" in render_text("[figure2]", figures=[FIGURE])
    assert "[figure1]" in render_text("[figure1]")


def test_figures_that_no_token_names_are_told() -> None:
    other = FigureView("/figures/cd", 1, 1)
    assert figures_not_placed(["[figure1]", ""], [FIGURE, other]) == [other]


def test_foreign_images_are_links_and_links_carry_rel() -> None:
    html = render_text("![chart](https://x.example/a.png) [site](https://x.example) <https://y.example>")
    assert "<img" not in html
    assert html.count('rel="nofollow noopener ugc"') == 3 == html.count("<a ")


def test_dashes_under_text_are_a_rule_and_indented_lines_are_text() -> None:
    html = render_text("Result\n---\n\n    indented $x$")
    assert "<hr>" in html and "<h" not in html.replace("<hr>", "") and formulas(html) == ["x"]


def test_headings_are_below_those_of_the_page() -> None:
    assert "<h3" in render_text("# One") and "<h6" in render_text("###### Six")


def test_chinese_emphasis_beside_punctuation() -> None:
    assert "<strong>重要：</strong>文本" in render_text("**重要：**文本")
    assert "文<strong>（注）</strong>" in render_text("文**（注）**，")


def test_line_ends_break_unless_they_only_wrap() -> None:
    assert render_text("G = 6.67\nR = 6371").count("<br>") == 1
    wrapped = "\n".join(["some words that fill the line until it has sixty characters"] * 4)
    assert "<br>" not in render_text(wrapped)


def test_blocks_take_their_direction_from_their_text() -> None:
    html = render_text("مرحبا $x$\n\n- नमस्ते `code`")
    assert html.count('dir="auto"') == 2 and 'code dir="ltr"' in html


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("- پہلا قدم\n- دوسرا قدم", ['<ul dir="rtl">', '<li dir="rtl">']),
        ("1. $E = mc^2$ توانائی", ['<ol dir="rtl">', '<li dir="rtl">']),
        ("> اقتباس `code`", ['<blockquote dir="rtl">']),
        ("| مقدار | b |\n|---|---|\n| 1 | 2 |", ['<div class="scroll" tabindex="0" dir="rtl">']),
        ("- one\n- ב", ['<li dir="rtl">']),
        ("- one\n\nپہلا", []),
        ("> $x$ 42", []),
    ],
)
def test_lists_quotations_and_tables_run_as_their_first_letter_does(text: str, turned: list[str]) -> None:
    assert list(dict.fromkeys(re.findall(r'<\w+[^>]*dir="rtl"[^>]*>', render_text(text)))) == turned


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "\ud800", "﷐0﷑", "a\r\nb\r\n\r\nc", "\x85\u2028", "$", "$$", "\\", "`", "[", "|"]
)
def test_odd_texts_render(text: str) -> None:
    assert isinstance(render_text(text), SafeString)


def test_a_placeholder_in_the_text_names_no_formula() -> None:
    assert formulas(render_text("$x$ ﷐0﷑")) == ["x"]


def test_deep_nesting_is_shown_as_source_and_nothing_is_lost() -> None:
    html = render_text("> " * 200 + "deep")
    assert 'class="verbatim"' in html and "deep" in html
    assert render_text("[" * 5000 + "]" * 5000).count("[") == 5000


def test_a_longer_text_says_what_is_not_shown() -> None:
    assert "further characters" in render_text("word " * (MAX_CHARACTERS // 4))


def test_the_same_text_is_rendered_once() -> None:
    cache = LocMemCache("rendering", {})
    first = render_cached("$x$", cache)
    (key,) = cache._cache
    cache.set(key[3:], "from the cache")
    assert str(first) == str(render_text("$x$"))
    assert render_cached("$x$", cache) == "from the cache"
    assert render_cached("$x$", cache, open_think=True) == first


@pytest.mark.parametrize("stop", [",", ".", "。", "，", "）", "?)"])
def test_stop_after_a_formula_never_begins_a_line(stop: str) -> None:
    html = render_text(f"we get $x^2${stop} so")
    assert f"</math>{stop}</span> so" in html and '<span class="math-stop"><math' in html
    assert "math-stop" not in render_text("we get $x^2$ so")


def test_a_formula_holds_the_bracket_before_it_and_the_stop_after_it() -> None:
    html = render_text("Let it ($x$), 其中（$y$）。")
    assert '<span class="math-stop">(<math>' in html and "</math>),</span>" in html
    assert '<span class="math-stop">（<math>' in html
    long = "a + " * 30 + "b"
    assert "</math>，</span>" in render_text(f"有 ${long}$，则得 2 分。")


def test_a_star_between_operands_is_a_product_and_no_emphasis() -> None:
    html = render_text('2*3*4 = 24, F=m*a*b, (a)*(b)*(c), `1*2*3`, [u](http://example.org/7*8*9 "7*8*9")')
    for shown in ("2*3*4 = 24", "m*a*b", "(a)*(b)*(c)", "1*2*3", "http://example.org/7*8*9", 'title="7*8*9"'):
        assert shown in html, shown
    assert "<em>" not in html
    assert "<em>x</em>(t)" in render_text("so *x*(t)") and "中<em>强</em>调" in render_text("中*强*调")


def test_a_quote_over_a_product_is_marked() -> None:
    html = render_text("Here 2*3*4 = 24.", quotes=[QuoteSpan(5, 15, "q")])
    assert re.search(r'<mark class="evidence" id="q">2\*3\*4 = 24</mark>', html)


@pytest.mark.parametrize("text", ["**Answer:**$x=5$", "**答案：**$x=5$。**（1）**先", r"**Step 1.**\(y\)"])
def test_emphasis_that_ends_in_a_stop_closes_before_a_formula(text: str) -> None:
    assert "**" not in render_text(text)


@pytest.mark.parametrize(
    "text", ["```math\nE = mc^2\n```", "$`E = mc^2`$", r"\ce{H2O} and", r"weighs \SI{5}{\kg} now", r"\qty{5}{\m}, then"]
)
def test_formulas_in_other_dress_are_typeset(text: str) -> None:
    html = render_text(text)
    assert "<math" in html and "<code" not in html and "`" not in html and not re.search(r"\}|\\[a-z]", plain(html))


def plain(html: str) -> str:
    return re.sub(r"<annotation.*?</annotation>|<[^>]+>", "", html)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (r"\newcommand{\vv}[1]{\mathbf{#1}} Then $\vv{x}$.", r"{\mathbf{x}}"),
        (r"$\newcommand{\RR}{\mathbb{R}}$ and $x \in \RR$", r"x \in {\mathbb{R}}"),
        (r"$\def\d{\mathrm{d}} \d x$", r"{\mathrm{d}} x"),
        (r"\def\pd#1#2{\partial #1/\partial #2} $\pd{f}{x}$", r"{\partial f/\partial x}"),
        (r"\DeclareMathOperator{\Sgn}{Sgn} $\Sgn x$", r"{\operatorname{Sgn}} x"),
        (r"\renewcommand{\vec}[1]{\mathbf{#1}} $\vec F$", r"{\mathbf{F}}"),
    ],
)
def test_what_a_text_defines_is_written_out_in_its_formulas(text: str, source: str) -> None:
    html = render_text(text)
    assert formulas(html)[-1].strip() == source and "math-error" not in html


@pytest.mark.parametrize("text", [r"\def\a{\a\a} $\a$", r"\newcommand{\b}{\href{http://example.org}{x}} $\b$"])
def test_a_definition_that_leads_nowhere_shows_the_formula_as_written(text: str) -> None:
    assert re.search(r'<code class="math-error"[^>]*>\\[ab]</code>', render_text(text))


def test_definitions_cannot_multiply_a_text() -> None:
    chain = "".join(rf"\def\q{chr(97 + n)}{{" + rf"\q{chr(98 + n)}" * 40 + "}" for n in range(12))
    started = time.monotonic()
    html = render_text(chain + r" $\qa$ " * 3000)
    render_text(r"\def\a{" * 20_000)
    assert len(html) < 1_000_000 and time.monotonic() - started < 5
