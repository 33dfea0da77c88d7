"""Which words, commands and characters mean what: tables only."""

from __future__ import annotations

GREEK_LETTERS = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
# Those that LaTeX has a command for: the others look like Latin ones.
GREEK_CAPITALS = ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega")
GREEK_VARIANTS = ("varepsilon", "vartheta", "varkappa", "varrho", "varsigma", "varphi", "varpi", "digamma")
GREEK = frozenset((*GREEK_LETTERS, *GREEK_VARIANTS, *GREEK_CAPITALS, *(f"var{name}" for name in GREEK_CAPITALS)))
# Two shapes of one letter. phi and varphi stay apart, since texts use both; expression.py lets them meet where one
# occurs alone.
SAME_LETTER = {
    "varepsilon": "epsilon",
    "vartheta": "theta",
    "varkappa": "kappa",
    "varrho": "rho",
    "varsigma": "sigma",
    **{f"var{name}": name for name in GREEK_CAPITALS},
}
# Angles end a function's argument: \cos\theta t is cos(theta) t, but \cos\omega t is cos(omega t).
ANGLES = frozenset((
    "theta", "phi", "varphi", "alpha", "beta", "psi", "chi", "delta", "gamma", "epsilon", "Theta", "Phi", "Psi",
    "vartheta",
))  # fmt: skip

LETTER_COMMANDS = frozenset((
    "hbar", "ell", "nabla", "partial", "Re", "Im", "aleph", "imath", "jmath", "odot", "oplus", "ominus", "otimes",
    "star", "ast", "prime", "dagger", "ddagger", "perp", "parallel", "uparrow", "downarrow", "rightarrow",
    "leftarrow", "to", "infty", "circ", "angle", "triangle", "square", "Box", "emptyset", "wp", "eth", "Bbbk",
    "hslash",
))  # fmt: skip

TRIGONOMETRIC = ("sin", "cos", "tan", "cot", "sec", "csc")
HYPERBOLIC = tuple(f"{name}h" for name in TRIGONOMETRIC)
_NAMED_ALIKE = ("exp", "ln", "log", "lg", "arg", "det", "min", "max", "sgn", "erf", "erfc")
FUNCTIONS = {
    **{name: name for name in (*TRIGONOMETRIC, *HYPERBOLIC, *_NAMED_ALIKE)},
    "tg": "tan",
    "ctg": "cot",
    "cosec": "csc",
    "sh": "sinh",
    "ch": "cosh",
    "th": "tanh",
    "sign": "sgn",
    "gcd": "gcd",
    "Tr": "tr",
    "tr": "tr",
    "floor": "floor",
    "ceil": "ceil",
    "abs": "abs",
    **{prefix + name: f"a{name}" for prefix in ("arc", "a") for name in (*TRIGONOMETRIC, *HYPERBOLIC)},
    **{f"ar{name}": f"a{name}" for name in HYPERBOLIC},
    "arctg": "atan",
    "arcctg": "acot",
    "arsh": "asinh",
    "arch": "acosh",
    "arth": "atanh",
    "argsinh": "asinh",
    "argcosh": "acosh",
    "argtanh": "atanh",
}
INVERSE = {name[1:]: name for name in FUNCTIONS.values() if name.startswith("a") and name not in ("arg", "abs")}
SHORT_NAMES = frozenset(("tg", "sh", "ch", "th", "tr", "Tr", "min", "max", "det", "arg", "abs", "lg", "floor", "ceil"))
# Names that may stand without a backslash; the two-letter ones of the Russian school would eat products.
BARE_FUNCTIONS = frozenset(FUNCTIONS) - SHORT_NAMES | {"sqrt"}

_SPELLINGS = {
    "=": "= := \\equiv \\triangleq",
    "~": "\\approx \\simeq \\sim \\cong \\approxeq \\doteq",
    "<": "< \\lt",
    ">": "> \\gt",
    "<=": "\\le \\leq \\leqslant \\leqq \\lesssim",
    ">=": "\\ge \\geq \\geqslant \\geqq \\gtrsim",
    "<<": "\\ll",
    ">>": "\\gg",
    "!=": "\\ne \\neq",
    "in": "\\in",
    "prop": "\\propto",
    "=>": "\\Rightarrow \\implies \\Leftrightarrow \\iff \\Longrightarrow \\therefore",
}
# Every spelling of a relation and the sign it stands for; ~ is approximately equal, => joins steps of a chain.
RELATIONS = {spelling: sign for sign, spellings in _SPELLINGS.items() for spelling in spellings.split()}

_ACCENT_COMMANDS = {
    "vec": "vec overrightarrow mathbf boldsymbol bm pmb bf mathbfit symbf",
    "hat": "hat widehat",
    "bar": "bar overline",
    "tilde": "tilde widetilde",
    "dot": "dot",
    "ddot": "ddot",
    "dddot": "dddot",
    "cal": "mathcal mathscr",
    "frak": "mathfrak",
    "bb": "mathbb",
    "check": "check",
    "breve": "breve",
    "acute": "acute",
    "grave": "grave",
    "under": "underline",
    "": "mathit mathnormal mathsf mathtt rm it",
}
# Commands that put a mark on a name, and the mark; an empty mark is mere type.
ACCENTS = {command: mark for mark, commands in _ACCENT_COMMANDS.items() for command in commands.split()}
ROMAN = frozenset(("mathrm", "operatorname", "textit", "textbf", "textsf", "mathop", "mathord", "unit", "si"))
PROSE = frozenset(("text", "mbox", "textrm", "textnormal", "hbox", "texttt"))

# Commands that change how a formula looks, never what it says.
IGNORED = frozenset((
    "left", "right", "middle", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "big", "Big",
    "bigg", "Bigg", "displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "limits", "nolimits",
    "nonumber", "notag", "strut", "mathstrut", "null", "relax", "boldmath", "bfseries", "rmfamily", "itshape",
    "centering", "noindent", "protect", "allowbreak", "break", "smallskip", "medskip", "bigskip", "hfill",
    "vphantom",
))  # fmt: skip
SPACES = frozenset(("\\,", "\\;", "\\:", "\\!", "\\ ", "\\>", "~", "\\enspace", "\\thinspace", "\\negthinspace"))
REFUSED = frozenset((
    "input", "include", "def", "let", "newcommand", "renewcommand", "write", "openin", "openout", "read", "catcode",
    "csname", "usepackage", "documentclass", "immediate", "special", "loop", "repeat", "expandafter", "edef",
    "gdef", "xdef",
))  # fmt: skip
