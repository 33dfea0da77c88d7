"""Model output is hostile: whatever it holds, the page gets only known elements and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from leaderboard.rendering.charts import (
    GridLine,
    IntervalRow,
    Point,
    StripView,
    draw_strip,
    heat_map,
    interval_plot,
    scatter,
)
from leaderboard.rendering.eed_tree import draw_trees
from leaderboard.rendering.figures import FigureView
from leaderboard.rendering.markdown import render_text
from leaderboard.rendering.math import render_formula
from leaderboard.rendering.quotes import QuoteSpan
from leaderboard.rendering.sanitise import ATTRIBUTES, HTML_TAGS, MATHML_TAGS, sanitise

PAYLOADS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext></p><style><img src onerror=alert(1)></style>",
    "<math><annotation-xml encoding='text/html'><img src onerror=alert(1)></annotation-xml></math>",
    "<math href='javascript:alert(1)'>x</math>",
    "<math><maction actiontype='statusline#http://x' xlink:href='javascript:alert(1)'>x</maction></math>",
    "<iframe src=javascript:alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<object data='javascript:alert(1)'>",
    "<embed src='javascript:alert(1)'>",
    "<form action='javascript:alert(1)'><input type=submit>",
    "<input autofocus onfocus=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<base href='https://x.example/'>",
    "<link rel=stylesheet href='https://x.example/x.css'>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>*{background:url(https://x.example)}</style>",
    "<p style='background:url(https://x.example)'>x</p>",
    "<div onclick=alert(1)>x</div>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea><script>alert(1)</script></textarea>",
    "<title><img src=x onerror=alert(1)></title>",
    "<xmp><script>alert(1)</script></xmp>",
    "<plaintext><script>alert(1)</script>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<<script>alert(1)//<</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "&#x3c;img src=x onerror=alert(1)&#x3e;",
    "\x00<scr\x00ipt>alert(1)</script>",
    "<img/src=x/onerror=alert(1)>",
    "<img src=\"x\" onerror=\"alert(1)\" alt=\"$x$\">",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](https://x.example/\"onmouseover=alert(1))",
    "[x](https://x.example 'title\" onmouseover=alert(1)')",
    "[x](//x.example)",
    "[x](/logout)",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x\" onerror=alert(1)](https://x.example/x.png)",
    "![x](https://x.example/x.png \"onerror=alert(1)\")",
    "[x]: javascript:alert(1)\n\n[x]",
    "$\\text{<script>alert(1)</script>}$",
    "$\\text{</annotation></semantics></math><img src=x onerror=alert(1)>}$",
    "$</math><script>alert(1)</script>$",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\style{color:red;background:url(https://x.example)}{x}$",
    "$\\class{\" onclick=alert(1)}{x}$",
    "$\\unicode{x3cscript}$",
    "$\\color{\"><script>alert(1)</script>}x$",
    "$\\textcolor{red\" onclick=\"alert(1)}{x}$",
    "$\\hspace{1em\" onclick=\"alert(1)}x$",
    "$\\begin{array}{c\" onclick=alert(1)}x\\end{array}$",
    "$\\operatorname{<img src=x onerror=alert(1)>}$",
    "$\\badmacro{<img src=x onerror=alert(1)>}$",
    "\\[ \\mbox{<svg/onload=alert(1)>} \\]",
    "\\boxed{<img src=x onerror=alert(1)>}",
    "```<script>alert(1)</script>\n<script>alert(1)</script>\n```",
    "```x\" onclick=\"alert(1)\ncode\n```",
    "`<script>alert(1)</script>`",
    "| <script>alert(1)</script> | $\\text{<b onclick=x>}$ |\n|:-:\" onclick=x|---|\n| <img src=x onerror=y> | z |",
    "# <img src=x onerror=alert(1)>",
    "<think onclick=alert(1)>x</think>",
    "<think>\n<script>alert(1)</script>\n</think>\n<img src=x onerror=alert(1)>",
    "﷐0﷑<script>alert(1)</script>$x$",
    "[figure1](javascript:alert(1)) ![figure1](x\"onerror=alert(1))",
    "<mark id=c1 onclick=alert(1)>x</mark>",
    "<a name=location id=document>clobber</a><img name=cookie>",
]  # fmt: skip

ALLOWED = HTML_TAGS | MATHML_TAGS
FIGURE = FigureView("/figures/ab", 10, 10, '"><img src=x onerror=alert(1)>', "<script>alert(1)</script>")


class Reader(HTMLParser):
    """Lists the elements and attributes of a page as a tolerant reader sees them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", []))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("declaration", []))


def elements(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    reader = Reader()
    reader.feed(html)
    reader.close()
    for tag, attributes in reader.found:
        yield tag, {name: value or "" for name, value in attributes}


def assert_harmless(html: str) -> None:
    for tag, attributes in elements(html):
        assert tag in ALLOWED, f"element {tag}"
        extra = {"img": {"src"}, "a": {"rel"}}.get(tag, set())
        assert set(attributes) <= ATTRIBUTES.get(tag, set()) | extra, f"attributes of {tag}: {attributes}"
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        if "href" in attributes:
            assert attributes["href"].startswith(("https://", "http://", "mailto:", "#", "/figures/")), attributes
            assert attributes["rel"] == "nofollow noopener ugc"
        if tag == "img":
            assert attributes["src"] == "/figures/ab"


def test_there_are_at_least_sixty_payloads() -> None:
    assert len(set(PAYLOADS)) >= 60


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_is_harmless_wherever_it_stands(payload: str) -> None:
    quote = QuoteSpan(0, len(payload), payload, label=payload, href=payload, style=payload, outcome=payload)
    for text in (
        payload,
        f"$x$ **{payload}** \\(y\\)",
        f"> - {payload}\n\n| {payload} |\n|---|",
        f"<think>\n{payload}",
    ):
        html = render_text(text, figures=[FIGURE], quotes=[quote])
        assert_harmless(html)
        assert sanitise(html, ["/figures/ab"]) == html, "a second reading must find nothing to remove"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_in_a_formula_is_harmless(payload: str) -> None:
    assert_harmless(render_formula(payload))
    assert_harmless(render_formula(rf"\text{{{payload}}} + \mathrm{{{payload}}}", is_display=True))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_in_a_drawing_is_harmless(payload: str) -> None:
    tree = {"label": f"symbol_{payload}", "children": [{"label": payload, "children": []}]}
    pair = draw_trees(tree, tree, [{"op": "rename", "from": payload, "to": payload, "path": [0]}])
    drawings = [
        interval_plot([IntervalRow(payload, 1.0, 0.0, 2.0, payload)], title=payload, axis=payload),
        scatter([Point(payload, 1.0, 2.0, payload)], title=payload, x_axis=payload, y_axis=payload),
        heat_map([GridLine(payload, payload)], [GridLine(payload, payload)], [[1.0]], title=payload, low=0, high=1),
        draw_strip(StripView(1.0, text=payload), 0, 2),
        pair.target,
        pair.answer,
    ]
    shapes = {"svg", "title", "g", "line", "rect", "circle", "path", "text", "a"}
    for drawing in drawings:
        for tag, attributes in elements(drawing):
            assert tag in shapes, tag
            assert not any(name.startswith("on") or name == "style" for name in attributes)
            assert not attributes.get("href", "/").lower().startswith(("javascript", "data", "http", "//"))
