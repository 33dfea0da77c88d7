"""The judge contract: what is asked and how the answer is read, side by side. No call is made here.

slots = {"question": question, "prediction": reply}
message = build_message(Purpose.CRITERION, template, slots, fence=fence, criteria=(criterion,))
verdict = parse_verdict(Purpose.CRITERION, judge_reply, candidate=reply, max_points=[criterion.max_points])
span = anchor_quote(verdict.evidence, reply)
flags = detect_injection(reply)
"""

from scoring.evidence import anchor_quote
from scoring.injection import Flag, detect_injection
from scoring.judge_prompts import (
    CANARY_CRITERION,
    CANARY_SOLUTION,
    OWN_TEMPLATES,
    Purpose,
    build_message,
    fence_text,
    fill_template,
    list_criteria,
)
from scoring.judge_verdict import Award, Verdict, parse_verdict

__all__ = [
    "CANARY_CRITERION",
    "CANARY_SOLUTION",
    "OWN_TEMPLATES",
    "Award",
    "Flag",
    "Purpose",
    "Verdict",
    "anchor_quote",
    "build_message",
    "detect_injection",
    "fence_text",
    "fill_template",
    "list_criteria",
    "parse_verdict",
]
