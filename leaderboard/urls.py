"""Addresses of all pages (CONTRACT names)."""

from django.urls import path, register_converter

from leaderboard.converters import ExternalIdConverter
from leaderboard.judge_urls import urlpatterns as judge_urlpatterns
from leaderboard.review_urls import urlpatterns as review_urlpatterns
from leaderboard.views import accounts, battles, boards, insight, my_runs, problems, replies, runs, site, submissions

register_converter(ExternalIdConverter, "external_id")

urlpatterns = [
    path("", boards.home, name="home"),
    path("charts/output-tokens.svg", boards.home_chart, name="home-chart"),
    path("b/<slug:slug>/", boards.board, name="board"),
    path("b/<slug:slug>.csv", boards.board_file, {"suffix": "csv"}, name="board-csv"),
    path("b/<slug:slug>.json", boards.board_file, {"suffix": "json"}, name="board-json"),
    path("b/<slug:slug>/board.csv", boards.board_file, {"suffix": "csv"}),
    path("b/<slug:slug>/board.json", boards.board_file, {"suffix": "json"}),
    path("b/<slug:slug>/receipt/<str:run>/<str:subset>/<str:metric>/", boards.receipt, name="receipt"),
    path("b/<slug:slug>/about/", insight.about, name="about"),
    path("b/<slug:slug>/charts/", insight.charts, name="charts"),
    path("b/<slug:slug>/charts/<slug:name>.svg", insight.chart_file, name="chart-file"),
    path("b/<slug:slug>/compare/", insight.compare, name="compare"),
    path("b/<slug:slug>/medals/", insight.medals, name="medals"),
    path("b/<slug:slug>/reproductions/", insight.reproductions, name="reproductions"),
    path("b/<slug:slug>/changes/", insight.changes, name="changes"),
    path("b/<slug:slug>/problems/", insight.grid, name="problems"),
    path("b/<slug:slug>/grid.png", insight.grid_picture, name="grid-picture"),
    path("b/<slug:slug>/grid/", insight.grid_point, name="grid-point"),
    path("b/<slug:slug>/grid/<str:run>/<external_id:external_id>/", insight.grid_reply, name="grid-reply"),
    path("methodology/", insight.methodology, name="methodology"),
    path("b/<slug:slug>/problems/<external_id:external_id>/", problems.problem, name="problem"),
    path("b/<slug:slug>/problems/<external_id:external_id>/try/", problems.try_it, name="try"),
    path("b/<slug:slug>/problems/<external_id:external_id>/report/", problems.report, name="problem-report"),
    path("b/<slug:slug>/figures/<str:sha256>/", problems.figure, name="figure"),
    path("m/<slug:slug>/", runs.entrant, name="entrant"),
    path("runs/<uuid:uuid>/", runs.run, name="run"),
    path("runs/<uuid:uuid>/act/", runs.act_on_run, name="run-act"),
    path("replies/<uuid:uuid>/", replies.reply, name="reply"),
    path("review/criterion/<int:pk>/", replies.review_criterion, name="review-criterion"),
    path("review/answer/<int:pk>/", replies.review_answer, name="review-answer"),
    path("submit/", submissions.submit, name="submit"),
    path("submit/file/", submissions.submit_file, name="submit-file"),
    path("submit/template/<slug:slug>.jsonl", submissions.template_file, name="submit-template"),
    path("submissions/", my_runs.my_runs, name="submissions"),
    path("submissions/<uuid:uuid>/", my_runs.submission, name="submission"),
    path("submissions/<uuid:uuid>/act/", my_runs.act_on_submission, name="submission-act"),
    path("accounts/delete/", accounts.delete_account, name="account-delete"),
    path("people/", accounts.people, name="people"),
    path("arena/", battles.arena, name="arena"),
    path("arena/battles/<uuid:uuid>/", battles.battle, name="arena-battle"),
    path("arena/battles/<uuid:uuid>/vote/", battles.vote, name="arena-vote"),
    path("arena/battles/<uuid:uuid>/answer/", battles.answer, name="arena-answer"),
    path("arena/ratings/", battles.ratings, name="arena-ratings"),
    path("arena/voters/", battles.voters, name="arena-voters"),
    path("arena/voters/judge/", battles.judge, name="arena-judge"),
    path("arena/voters/exclude/", battles.exclude, name="arena-exclude"),
    *review_urlpatterns,
    *judge_urlpatterns,
    path("i18n/setlang/", site.set_language, name="set_language"),
    path("healthz", site.healthz, name="healthz"),
    path("style/", site.style, name="style"),
]
