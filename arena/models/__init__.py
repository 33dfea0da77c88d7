"""Records of truth."""

from arena.models.base import AppendOnlyModel, Guard
from arena.models.catalog import (
    SAMPLE,
    Answer,
    Benchmark,
    Criterion,
    DatasetRevision,
    Figure,
    Image,
    Problem,
    RevisionProblem,
    Subset,
)
from arena.models.entrants import Endpoint, Entrant, Submission
from arena.models.judgments import (
    AnswerScore,
    CriterionScore,
    Judge,
    JudgeError,
    JudgeReply,
    Judgment,
    Level,
    Review,
    ScoreError,
    Scorer,
)
from arena.models.runs import CallError, Reply, Run, RunSlice, Withdrawal
from arena.models.users import MAINTAINER, REVIEWER, User

__all__ = [
    "MAINTAINER",
    "REVIEWER",
    "SAMPLE",
    "Answer",
    "AnswerScore",
    "AppendOnlyModel",
    "Benchmark",
    "CallError",
    "Criterion",
    "CriterionScore",
    "DatasetRevision",
    "Endpoint",
    "Entrant",
    "Figure",
    "Guard",
    "Image",
    "Judge",
    "JudgeError",
    "JudgeReply",
    "Judgment",
    "Level",
    "Problem",
    "Reply",
    "Review",
    "RevisionProblem",
    "Run",
    "RunSlice",
    "ScoreError",
    "Scorer",
    "Submission",
    "Subset",
    "User",
    "Withdrawal",
]
