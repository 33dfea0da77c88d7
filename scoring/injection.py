"""Attempts of a candidate to instruct the grader, in English and Chinese: flagged for reviewers, never scored.

The patterns look for the deed (ordering points, voiding the rubric, speaking to the grader, posing as the system or as
a verdict), not for words that solutions use. Text is compared after compatibility folding, without invisible
characters, and with Cyrillic look-alikes read as Latin.
"""

# ruff: noqa: E501  (a pattern that is broken over lines reads worse)

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flag:
    """kind: one of the keys of PATTERNS. text: the words as matched (folded), for the reviewer."""

    kind: str
    text: str


# Who grades: never a word that physics uses alone ("model", "system" and "judge" need company).
_GRADER = r"(?:graders?|evaluators?|markers?|examiners?|assessors?|(?:ai|llm|automated|language)[ -]?(?:model|judge|grader|assistant)|judges?|auto-?grader)"
_POINTS = r"(?:points?|pts?|marks?|credit|scores?|grades?|rating)"
_FULL = r"(?:full|max(?:imum|imal)?|all|total|perfect|complete|highest|top|every|100\s*%|10/10|100/100)"
_RULES = r"(?:instructions?|prompts?|rubrics?|criteri(?:a|on)|guidelines?|rules?|directions?|grading (?:scheme|policy)|marking (?:scheme|criteria)|scoring (?:rules?|criteria))"
_VOID = r"(?:ignore|disregard|forget|override|overrule|bypass|skip|discard|dismiss|do not (?:follow|apply|use)|don'?t (?:follow|apply|use)|stop following)"
_ZH_GRADER = r"(?:评分(?:员|者|人|老师|模型|系统|官|专家|助手|ai|人员)|阅卷(?:人|老师|员|者|系统|ai|人员|官)|判卷(?:人|老师|员|者|系统)|批改(?:者|老师|员|人|系统)|评(?:审|委|判员|测者|估者|卷人|卷老师)|裁判(?:员|模型)?|考官|评判者|打分(?:者|员|模型|老师|系统))"
_ZH_FULL = r"(?:满分|全分|最高分|全部(?:的)?(?:分|分数|得分)|所有(?:的)?(?:分|分数|得分|步骤分)|\d+(?:\.\d+)?\s*分)"
_ZH_RULES = r"(?:指令|指示|提示(?:词)?|说明|要求|规则|规定|评分(?:标准|细则|规则|要求|准则)|标准答案|评判标准|参考答案|命令|设定|内容)"

PATTERNS: dict[str, re.Pattern[str]] = {
    kind: re.compile("|".join(patterns), re.IGNORECASE)
    for kind, patterns in {
        "voids instructions": (
            rf"\b{_VOID}\s+(?:(?:all|any|every|the|your|my|these|those|this|of|above|previous|prior|earlier|preceding|"
            rf"foregoing|original|official|given|system|grading|other|existing|whole)\s+){{0,5}}{_RULES}\b",
            rf"\b{_VOID}\s+(?:everything|anything|all|what)\s+(?:that\s+)?(?:(?:was|is|has been|you were|you have been)\s+)?(?:told|said|written|stated|above|before)\b",
            r"\bnew\s+(?:system\s+)?(?:instructions?|prompt|directive)\s*[:：]",
            rf"(?:忽略|无视|忘记|忘掉|不要(?:理会|遵循|遵守|按照|管)|不必(?:理会|遵循|遵守|按照)|不用(?:理会|管)|跳过|抛开|抛弃|停止(?:遵循|执行)|覆盖|放弃)"
            rf"(?:掉|了)?(?:你|您)?(?:之前|此前|先前|以上|上面|上述|前面|前述|原来|原有|所有|全部|一切|任何|这些|那些|其他|系统|官方|给定|的|、|和|收到)*{_ZH_RULES}",
            r"新(?:的)?(?:系统)?(?:指令|指示|提示)\s*[:：]",
        ),
        "orders points": (
            rf"\b(?:please|must|should|shall|kindly|simply|just|always|now|hereby|need to|have to|to|and|you|will|:|：|so|then|therefore)[\s,]+"
            rf"(?:award|give|grant|assign|allocate|output|return|report|record)\s+(?:me|us|it|this|the|them|that|him|her|itself|an?)?\s*"
            rf"(?:(?:student|solution|answer|response|submission|reply|candidate|work|attempt|criterion|item|step|one)\s+)?(?:with\s+|of\s+|a\s+|an\s+|the\s+)?{_FULL}\s+(?:possible\s+|available\s+|the\s+|of\s+the\s+)?{_POINTS}\b",
            rf"(?:^|[.!?:;\n\"'(\[>*#-])\s*(?:award|give|grant|assign)\s+(?:me|us|it|this|the|them|full|maximum|all)\s*(?:\w+\s+){{0,4}}?{_POINTS}\b",
            rf"\b(?:award|give|grant|assign|deserves?|merits?|earns?|worth|receives?|gets?)\s+(?:(?:me|us|it|this|the|them|my|your|a|an|solution|answer|response|submission|reply)\s+){{0,4}}{_FULL}\s+(?:possible\s+|available\s+)?{_POINTS}\b",
            r"\b(?:mark|grade|score|rate|judge|treat|consider|accept|evaluate)\s+(?:it|this|the|my|all|every|each|these)\s*(?:\w+\s+){0,4}?as\s+(?:being\s+)?(?:fully\s+|completely\s+|entirely\s+|100\s*%\s+)?(?:correct|right|true|perfect|satisfied|met|passed)\b",
            r"\b(?:every|all|each)\s+(?:of\s+the\s+)?criteri(?:on|a)\s+(?:is|are|has been|have been|should be|must be)\s+(?:fully\s+)?(?:met|satisfied|fulfilled|awarded)\b",
            rf"\bdo\s+not\s+(?:deduct|subtract|take off|remove)\s+(?:any\s+)?{_POINTS}\b",
            rf"(?:请|务必|必须|应该|应当|直接|一律|都要|都|均|要|给我|给予|予以|判|打|评|赋)\s*(?:给|打|判|评|记|算|予|为|我|本题|本答案|该答案|此答案|这个答案|这份答卷|这道题|本解答|该解答|此解答|学生|其|它|出|上|以|了|个|直接|一律|全部)*\s*{_ZH_FULL}(?!钟|之|子|布|解|析)",
            r"(?:判|评|标|记|视|认定|当作|当成|看作)(?:定)?(?:为|作|成)?(?:完全|全部)?(?:正确|全对|满分)(?=[。！!，,；;\s]|$)",
            r"(?:不要|不得|不能|请勿|不可|切勿|别)(?:再)?(?:扣|减)(?:任何|我的|其)?(?:的)?分",
        ),
        "addresses the grader": (
            rf"\b(?:dear|attention|attn|hey|hello|hi|note\s+(?:to|for)|message\s+(?:to|for)|instructions?\s+(?:to|for)|(?:to|for)(?=\s+(?:the|any|all|every|our)\s))[\s,:]+(?:all\s+)?(?:the\s+|any\s+|every\s+|our\s+|whoever\s+)?(?:\w+\s+)?{_GRADER}\b\s*(?:[:：,，.!\-—\])>]|please|you|must|should|this)",
            rf"\b(?:as|you\s+are|you're|being)\s+(?:an?\s+|the\s+|now\s+an?\s+)?(?:\w+\s+){{0,2}}?{_GRADER}\b[\s,]*(?:you|please|it|must|should|who|and|that)\b",
            rf"\b{_GRADER}\s*[,:：]\s*(?:please|you|this|the following|ignore|award|give|note)\b",
            r"\b(?:you\s+are\s+now|from\s+now\s+on,?\s+you|act\s+as\s+(?:an?|the)\s+(?:\w+\s+)?(?:assistant|grader|judge|model)|pretend\s+(?:to\s+be|that\s+you)|roleplay\s+as)\b",
            rf"(?:尊敬的|亲爱的|致|给|各位|请|作为|你好|您好|你是|您是|对)\s*[，,:：]?\s*(?:一位|一名|一个|各位)?{_ZH_GRADER}",
            rf"{_ZH_GRADER}\s*(?:[:：，,]|请|您好|你好|必须|应该|应当|须知|注意)",
            r"(?:你|您)现在(?:是|扮演|的身份是|必须)|从现在(?:起|开始)[，,]?\s*(?:你|您)",
        ),
        "poses as the system": (
            r"<\|(?:im_start|system|assistant|user|start_header_id|begin_of_text)\|>|\[/?INST\]|<<SYS>>|</?(?:system|assistant|instructions?|grader|judge|evaluation|grading|student[_ ]solution|solution|prediction|candidate)>",
            r"(?:^|\n)[#*\[【<=\- ]{0,12}(?:(?-i:SYSTEM)|system\s+(?:prompt|message|override|note|update|instructions?)|(?-i:ASSISTANT|Assistant)|developer\s+message|admin(?:istrator)?|grading criterion|student'?s solution|instructions?\s+for\s+grad\w+)\s*(?:\]|】|\*\*|>)?\s*[:：]",
            r"\b(?:end|begin|start|beginning)\s+of\s+(?:the\s+)?(?:student(?:'s)?\s+(?:solution|answer|response|work)|candidate(?:'s)?\s+\w+|submission|untrusted\s+\w+|grading\s+\w+|system\s+\w+)\b",
            r"(?:^|\n)[#*\[【<=\- ]{0,12}system[\]*>]{0,3}:[^\n]{0,60}\b(?:you|grad(?:e|er|ing)|award|points|marks|instructions?|student)\b|\b(?:system\s+(?:override|notice|prompt|message|instruction)|override\s+(?:mode|code|accepted)|developer\s+mode|debug\s+mode|admin\s+(?:mode|override)|jailbreak)\b",
            r"(?:系统|管理员|开发者|官方)(?:提示|消息|指令|通知|覆盖|公告|模式|说明)(?:词)?\s*[:：】\]]|(?:学生|考生)(?:解答|答案|作答)(?:到此)?(?:结束|完毕)",
        ),
        "poses as a verdict": (
            r"[\"'“”]?\b(?:awarded|verdict|winner|overall_score|is_correct)\b[\"'“”]\s*[:：]",
            r"[\"“]correct[\"”]\s*[:：]\s*true",
            r"(?<![\w\\])\[\s*correct\s*\]",
            rf"\b(?:verdict|final grade|grade|final score|score|judge?ment|grading result|evaluation result)\s*(?:is|=|:|：)\s*(?:fully\s+)?(?:correct\b|pass(?:ed)?\b|true\b|{_FULL}\s+{_POINTS}|100\s*(?:%|/\s*100)|10\s*/\s*10|\d+(?:\.\d+)?\s*(?:pts?|points?|marks?)\b)",
            r"\b(?:respond|reply|answer|output|return|print|write|say)\s+(?:only\s+|just\s+|exactly\s+|simply\s+|with\s+|the\s+word\s+){1,4}[\"'“`\[{]*(?:correct|true|yes|pass|full (?:marks|score|points|credit)|\{|\[correct|a\b|1\b)",
            r"(?:得分|评分|评分结果|判定|判定结果|最终得分|评判结果|裁定|判决)\s*(?:为|是|[:：=])\s*(?:满分|正确|全对|\d+(?:\.\d+)?\s*分|true|correct)",
            r"(?:只|仅|直接|必须)?(?:需|要)?(?:输出|返回|回复|回答|写出)\s*[:：]?\s*[\"“「『`\[{]*(?:正确|满分|true|\{|\[correct|correct)",
        ),
        "claims approval": (
            r"\b(?:this|the|my)\s+(?:solution|answer|response|submission|result|derivation|reply)\s+(?:is|was|has been|had been)\s+(?:already\s+|previously\s+|officially\s+|independently\s+|fully\s+)?(?:verified|approved|confirmed|validated|certified|endorsed|graded|checked|reviewed|marked|accepted|pre-?approved)\s+(?:as\s+(?:fully\s+)?(?:correct|full|perfect)|by\s+(?:the\s+|an?\s+|two\s+|three\s+|several\s+|human\s+|official\s+|independent\s+)*(?:committee|official|organi[sz]ers?|experts?|graders?|examiners?|professors?|humans?|olympiad|jury|judges?|teachers?|panel|authors?|board))",
            r"\b(?:human|expert|official)\s+(?:graders?|reviewers?|experts?|examiners?)\s+(?:have|has|already)\s+(?:already\s+)?(?:given|awarded|confirmed|verified|approved|agreed|marked)\b",
            r"\b(?:if|unless)\s+(?:you\s+(?:do\s+not|don'?t|fail\s+to|refuse\s+to)\s+(?:award|give|grant|mark)|this\s+(?:solution|answer)\s+(?:does\s+not|doesn'?t)\s+(?:get|receive))\b",
            r"\b(?:i|we)\s+(?:will|would)\s+(?:be\s+)?(?:fired|tip\s+you|pay\s+you|lose\s+my\s+(?:job|scholarship)|sue|fail\s+(?:the\s+)?(?:course|year))\b",
            r"(?:该|此|本|这个|这份|以上)?(?:答案|解答|答卷|结果|解法)(?:已经|已|早已)(?:经)?(?:被|由|经|得到|获得)?(?:官方|人工|专家|命题组|组委会|委员会|教授|老师|评审|系统|多位)+(?:们)?(?:验证|确认|核实|审核|批准|认证|认可|复核|判定|评定|检查|审阅)",
            r"(?:参考|标准)答案(?:有误|是错(?:误)?的|错了|不正确|存在错误)",
            r"\b(?:the\s+)?(?:reference|official|provided|given)\s+(?:answer|solution|rubric)\s+(?:is|contains|has)\s+(?:wrong|incorrect|an?\s+(?:error|mistake|typo)|outdated|erroneous|flawed)\b",
        ),
    }.items()
}

_INVISIBLE = re.compile(r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_LOOK_ALIKE = str.maketrans("аеорсухіјѕԁһԛԝАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdhqwABEKMHOPCTYXIJS")
_SPACES = re.compile(r"\s+")
_END_CHARS = 200_000  # of a huge reply only both ends are searched: no judge reads more
_LONGEST = 200  # characters of a match that are kept


def detect_injection(text: str) -> tuple[Flag, ...]:
    """One flag a kind, in the order of PATTERNS; empty for an honest solution. Linear in the length of the text."""
    folded = fold(text if len(text) <= 2 * _END_CHARS else f"{text[:_END_CHARS]}\n{text[-_END_CHARS:]}")
    found = ((kind, pattern.search(folded)) for kind, pattern in PATTERNS.items())
    return tuple(Flag(kind, match[0].strip()[:_LONGEST]) for kind, match in found if match)


def fold(text: str) -> str:
    """Compatibility form, invisible characters gone, look-alikes as Latin, each run of white space as one character."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_LOOK_ALIKE)
    return _SPACES.sub(lambda run: "\n" if "\n" in run[0] else " ", text)
