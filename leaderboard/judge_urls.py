"""Addresses of judges, scorers and costs."""

from django.urls import path

from leaderboard.views import judges

urlpatterns = [
    path("judges/", judges.overview, name="judges-overview"),
    path("b/<slug:slug>/judges/", judges.judges, name="judges"),
    path("b/<slug:slug>/judges/add/", judges.add_judge, name="judge-add"),
    path("b/<slug:slug>/judges/<int:pk>/act/", judges.act_on_judge, name="judge-act"),
    path("b/<slug:slug>/scorers/add/", judges.add_scorer, name="scorer-add"),
    path("b/<slug:slug>/scorers/compare/", judges.compare, name="scorer-compare"),
    path("b/<slug:slug>/splits/", judges.splits, name="splits"),
    path("scorers/<str:digest>/", judges.scorer, name="scorer"),
    path("scorers/<str:digest>/act/", judges.act_on_scorer, name="scorer-act"),
    path("runs/<uuid:uuid>/costs/", judges.run_costs, name="run-costs"),
    path("replies/<uuid:uuid>/judging/", judges.judge_calls, name="reply-judging"),
]
