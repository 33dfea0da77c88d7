"""Does an answer say the same as the target? Expressions, equations up to a factor, inequalities with direction, lists.

The rules of judgement are listed with examples in docs/eed-rules.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from scoring.equality import are_equal
from scoring.errors import ParseError
from scoring.latex import Formula, parse_formula
from scoring.latex_names import skeleton
from scoring.latex_reading import USUAL, Reading
from scoring.relations import define_same_set, implies_same_order
from scoring.syntax import Node, is_number, symbols_in

MAX_READINGS = 12


@dataclass(frozen=True, slots=True)
class Verdict:
    """equal: None where neither equality nor difference could be shown.

    flags: chain, unit, prose, condition, spelling, numeric, and reading:<choice> where an unusual reading was needed.
    """

    equal: bool | None
    reason: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict with the formulas it rests on, names of the answer spelled as in the target."""

    verdict: Verdict
    target: Formula
    answer: Formula


def compare_expressions(target: str, answer: str, *, ordered: bool = True) -> Verdict:
    """Compare two texts. Raises ParseError if the target cannot be read; an unreadable answer is a Verdict of False.

    ordered: False lets the members of a list stand in any order.
    Raises DeadlineExceeded for sizes that are refused.
    """
    formula = parse_formula(target)
    try:
        return compare_texts(target, answer, formula, parse_formula(answer), ordered=ordered).verdict
    except ParseError as error:
        return Verdict(False, f"the answer cannot be read: {error}", ("unparseable",))


def compare_texts(target: str, answer: str, left: Formula, right: Formula, *, ordered: bool = True) -> Comparison:
    """Compare formulas already read; open choices of reading are tried in turn until the two agree."""
    right, spelled = spell_alike(left, right)
    verdict = compare_formulas(left, right, ordered=ordered)
    flags = collect_flags(left, right) | ({"spelling"} if spelled else set())
    first = Comparison(replace(verdict, flags=tuple(sorted(flags))), left, right)
    if verdict.equal:
        return first
    for name, one, other in _other_readings(target, answer, left, right):
        other, _ = spell_alike(one, other)
        again = compare_formulas(one, other, ordered=ordered)
        if again.equal:
            return Comparison(replace(again, flags=tuple(sorted(flags | {f"reading:{name}"}))), one, other)
    return first


_CHOICES: dict[str, tuple[Reading, ...]] = {
    "arguments": (replace(USUAL, arguments="first"), replace(USUAL, arguments="all")),
    "slash": (replace(USUAL, slash="loose"),),
    "log": (replace(USUAL, log_base="e"),),
    "euler": (replace(USUAL, euler="always"), replace(USUAL, euler="never")),
    "imaginary": (replace(USUAL, imaginary=True),),
    "degrees": (replace(USUAL, degrees=False),),
}


def _other_readings(target: str, answer: str, left: Formula, right: Formula) -> Iterator[tuple[str, Formula, Formula]]:
    """Pairs of readings where at least one side leaves a choice open; a side without that choice stays as it is."""
    count = 0
    for choice in sorted(left.ambiguous | right.ambiguous):
        mine = _CHOICES[choice] if choice in left.ambiguous else ()
        theirs = _CHOICES[choice] if choice in right.ambiguous else ()
        for one, other in product((USUAL, *mine), (USUAL, *theirs)):
            if one is other is USUAL or not _may_differ(choice, one, other):
                continue
            count += 1
            if count > MAX_READINGS:
                return
            try:
                yield choice, parse_formula(target, one), parse_formula(answer, other)
            except ParseError:
                continue


def _may_differ(choice: str, one: Reading, other: Reading) -> bool:
    """i and e mean one thing within a problem; a log means one thing per author."""
    return choice not in ("imaginary", "euler") or one is other or USUAL in (one, other)


def collect_flags(left: Formula, right: Formula) -> set[str]:
    flags = set(right.flags)
    if len([relation for relation in right.relations if relation in ("=", "~")]) > 1:
        flags.add("chain")
    if "~" in right.relations and "~" not in left.relations:
        flags.add("approximate")
    if right.conditions and not left.conditions:
        flags.add("condition")
    return flags


def spell_alike(left: Formula, right: Formula) -> tuple[Formula, bool]:
    """Rename a symbol of the answer that differs from one of the target only in bold, arrow, script or variant shape.

    Only where exactly one symbol on each side can be meant: `\\varphi` is `\\phi` unless the target uses both.
    """
    mine, theirs = _formula_names(left), _formula_names(right)
    strange = [name for name in theirs if name not in mine]
    if not strange:
        return right, False
    bones = {name: skeleton(name) for name in (*mine, *strange)}
    meant, rivals = Counter(bones[name] for name in mine), Counter(bones[name] for name in strange)
    missing = {bones[name]: name for name in mine if name not in theirs}
    renamed = {
        name: missing[bone] for name in strange if (bone := bones[name]) in missing and meant[bone] == rivals[bone] == 1
    }
    if not renamed:
        return right, False
    return rename_formula(right, renamed), True


def _formula_names(formula: Formula) -> dict[str, None]:
    """Its symbols, each once and in order."""
    return dict.fromkeys(name for side in formula.sides if side is not None for name in symbols_in(side))


def rename_formula(formula: Formula, names: dict[str, str]) -> Formula:
    return replace(formula, sides=tuple(None if side is None else rename(side, names) for side in formula.sides))


def rename(node: Node, names: dict[str, str]) -> Node:
    value = names.get(str(node.value), node.value) if node.op in ("sym", "call") else node.value
    return Node(node.op, tuple(rename(arg, names) for arg in node.args), value)


def compare_formulas(target: Formula, answer: Formula, *, ordered: bool = True) -> Verdict:
    """The rule by kind: orders, equations to zero, definitions, plain values; then conditions."""
    if target.is_order or answer.is_order:
        return _compare_orders(target, answer)
    verdict = _compare_statements(target, answer, ordered)
    if verdict.equal and target.conditions and answer.conditions:
        return _compare_conditions(target, answer, verdict)
    return verdict


def _compare_conditions(target: Formula, answer: Formula, verdict: Verdict) -> Verdict:
    if len(target.conditions) != len(answer.conditions):
        return verdict
    for one, other in zip(target.conditions, answer.conditions):
        if compare_formulas(one, other).equal is not True:
            return Verdict(False, "the values agree, the conditions do not", ("condition",))
    return verdict


def _compare_statements(target: Formula, answer: Formula, ordered: bool) -> Verdict:
    if not answer.relations or not target.relations:
        return _compare_values(target, answer, ordered)
    if target.is_equation_to_zero or answer.is_equation_to_zero:
        return _compare_equations(target, answer)
    values = _compare_values(target, answer, ordered)
    if values.equal and _heads_fit(target, answer):
        return values
    if values.equal is False and _heads_are_names(target, answer) and _same_head(target, answer):
        return values
    equation = _compare_equations(target, answer)
    if equation.equal or not values.equal:
        return equation if equation.equal else values
    return Verdict(False, "the right sides agree, the left sides do not")


def _compare_values(target: Formula, answer: Formula, ordered: bool) -> Verdict:
    equal = _compare_lists(target.value, answer.value) if not ordered else are_equal(target.value, answer.value)
    if equal is False and target.is_equation_to_zero and target.sides[0] is not None:
        other = target.sides[0] if is_number(target.value, 0) else target.value
        equal = bool(are_equal(other, answer.value))
    reasons = {True: "equal values", False: "the values differ", None: "neither equality nor difference could be shown"}
    return Verdict(equal, reasons[equal])


def _compare_lists(target: Node, answer: Node) -> bool | None:
    """Members in any order, each used once."""
    if target.op != "tuple" or answer.op != "tuple" or len(target.args) != len(answer.args):
        return are_equal(target, answer)
    rest = list(answer.args)
    for member in target.args:
        place = next((index for index, other in enumerate(rest) if are_equal(member, other)), None)
        if place is None:
            return False
        rest.pop(place)
    return True


def _heads_are_names(target: Formula, answer: Formula) -> bool:
    return all(side is not None and is_name(side) for side in (target.sides[0], answer.sides[0]))


def _same_head(target: Formula, answer: Formula) -> bool:
    return target.sides[0] == answer.sides[0]


def _heads_fit(target: Formula, answer: Formula) -> bool:
    """Left sides that only name the quantity may differ (`\\omega_L = ...`, `\\Omega_L = ...`); others must agree."""
    one, other = target.sides[0], answer.sides[0]
    if one is None or other is None or (is_name(one) and is_name(other)):
        return True
    if len(target.sides) > 2 or len(answer.sides) > 2:
        return True
    if is_name(other) and not set(symbols_in(one)) & set(symbols_in(other)):
        return True  # a label of the answer's own: x = ... for y^2 = ...
    return are_equal(one, other) is not False


def is_name(node: Node) -> bool:
    """True for a left side that names a quantity: x, f(t), |\\tau|, dp/dz, T_2/T_1, S_D - S_A; not for 2x or -x."""
    if node.op in ("sym", "call"):
        return True
    if node.op == "fn":
        return str(node.value) in ("abs", "mean", "prime") or str(node.value).startswith("accent")
    if node.op == "mul":
        return all(is_name(arg) or (arg.op == "pow" and is_name(arg.args[0])) for arg in node.args)
    if node.op == "add":
        positive = [arg for arg in node.args if is_name(arg)]
        negative = [arg for arg in node.args if arg.op == "mul" and is_number(arg.args[0], -1)]
        return (
            bool(positive)
            and len(positive) + len(negative) == len(node.args)
            and all(is_name(Node("mul", arg.args[1:])) for arg in negative)
        )
    return node.op == "tuple"


def _compare_equations(target: Formula, answer: Formula) -> Verdict:
    """Both as sets of solutions: sides and a non-zero factor do not matter."""
    sides = [target.sides[0], target.sides[-1], answer.sides[0], answer.sides[-1]]
    known = [side for side in sides if side is not None]
    if len(known) < 4:
        return _compare_values(target, answer, True)
    equal = define_same_set(known[0], known[1], known[2], known[3])
    return Verdict(
        equal, "the same equation" if equal else "different equations" if equal is False else "undecided equation"
    )


def _compare_orders(target: Formula, answer: Formula) -> Verdict:
    if not (target.is_order and answer.is_order):
        return Verdict(False, "one is an inequality, the other is not")
    if len(target.relations) != len(answer.relations) or None in target.sides or None in answer.sides:
        return Verdict(False, "inequalities of different form")
    mine, theirs = list(_ordered_pairs(target)), list(_ordered_pairs(answer))
    for low, sign, high in mine:
        fits = [pair for pair in theirs if _same_order((low, sign, high), pair)]
        if not fits:
            return Verdict(False, "the inequalities differ")
    return Verdict(True, "the same inequality")


def _ordered_pairs(formula: Formula) -> Iterator[tuple[Node, str, Node]]:
    """Each relation as (smaller, sign, larger)."""
    for place, sign in enumerate(formula.relations):
        left, right = formula.sides[place], formula.sides[place + 1]
        assert left is not None and right is not None
        yield (right, sign.replace(">", "<"), left) if sign.startswith(">") else (left, sign, right)


def _same_order(one: tuple[Node, str, Node], other: tuple[Node, str, Node]) -> bool:
    if one[1] != other[1]:
        return False
    if one[1] in ("<", "<=", "<<"):
        return bool(implies_same_order(one[0], one[2], other[0], other[2]))
    return bool(are_equal(one[0], other[0]) and are_equal(one[2], other[2]))
