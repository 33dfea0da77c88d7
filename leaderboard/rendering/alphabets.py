"""Letters of the mathematical alphabets: browsers that follow MathML Core know no `mathvariant` but `normal`.

Code points: Unicode, Mathematical Alphanumeric Symbols (U+1D400..1D7FF), with the holes filled from Letterlike Symbols.
"""

from __future__ import annotations

from functools import lru_cache

# variant -> (first of A-Z, first of a-z, first of 0-9 or 0, first of the Greek block or 0)
STARTS: dict[str, tuple[int, int, int, int]] = {
    "bold": (0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8),
    "italic": (0x1D434, 0x1D44E, 0, 0x1D6E2),
    "bold-italic": (0x1D468, 0x1D482, 0x1D7CE, 0x1D71C),
    "script": (0x1D49C, 0x1D4B6, 0, 0),
    "fraktur": (0x1D504, 0x1D51E, 0, 0),
    "double-struck": (0x1D538, 0x1D552, 0x1D7D8, 0),
    "sans-serif": (0x1D5A0, 0x1D5BA, 0x1D7E2, 0),
    "sans-serif-italic": (0x1D608, 0x1D622, 0x1D7E2, 0),
    "monospace": (0x1D670, 0x1D68A, 0x1D7F6, 0),
}
HOLES = {
    0x1D455: "ℎ",
    **dict(zip((0x1D49D, 0x1D4A0, 0x1D4A1, 0x1D4A3, 0x1D4A4, 0x1D4A7, 0x1D4A8, 0x1D4AD), "ℬℰℱℋℐℒℳℛ")),
    **dict(zip((0x1D4BA, 0x1D4BC, 0x1D4C4), "ℯℊℴ")),
    **dict(zip((0x1D506, 0x1D50B, 0x1D50C, 0x1D515, 0x1D51D), "ℭℌℑℜℨ")),
    **dict(zip((0x1D53A, 0x1D53F, 0x1D545, 0x1D547, 0x1D548, 0x1D549, 0x1D551), "ℂℍℕℙℚℝℤ")),
}
# Order of the Greek blocks: capitals with a second theta, nabla, small letters, then the variant forms.
GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ"


@lru_cache(maxsize=4096)
def styled(text: str, variant: str) -> str:
    """The text in the letters of a variant such as `bold`; what has no such letter stays as it is."""
    starts = STARTS.get(variant)
    if starts is None:
        return text
    return "".join(_letter(character, starts) for character in text)


def _letter(character: str, starts: tuple[int, int, int, int]) -> str:
    upper, lower, digit, greek = starts
    if "A" <= character <= "Z":
        code = upper + ord(character) - ord("A")
    elif "a" <= character <= "z":
        code = lower + ord(character) - ord("a")
    elif "0" <= character <= "9" and digit:
        code = digit + ord(character) - ord("0")
    elif greek and character in GREEK:
        code = greek + GREEK.index(character)
    else:
        return character
    return HOLES.get(code, chr(code))
