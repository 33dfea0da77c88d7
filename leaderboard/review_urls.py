"""Addresses of human review (CONTRACT names)."""

from django.urls import path

from leaderboard.views import agreement, review_desk, reviews

urlpatterns = [
    path("review/", reviews.queue, name="review"),
    path("review/claim/", reviews.claim, name="review-claim"),
    path("review/agreement/", agreement.agreement, name="review-agreement"),
    path("review/agreement/<str:table>.<str:form>", agreement.export, name="review-agreement-export"),
    path("review/errors/", agreement.errors, name="review-errors"),
    path("review/queue/", review_desk.build, name="review-queue"),
    path("review/errata/", review_desk.errata, name="review-errata"),
    path("review/errata/<uuid:uuid>/", review_desk.settle_erratum, name="review-erratum"),
    path("review/roles/", review_desk.roles, name="review-roles"),
    path("review/log/", review_desk.log, name="review-log"),
    path("review/report/<uuid:uuid>/", review_desk.report, name="review-report"),
    path("review/<uuid:uuid>/", reviews.item, name="review-item"),
    path("review/<uuid:uuid>/claim/", reviews.take, name="review-take"),
    path("review/<uuid:uuid>/draft/", reviews.draft, name="review-draft"),
    path("review/<uuid:uuid>/submit/", reviews.submit, name="review-submit"),
    path("review/<uuid:uuid>/settle/", reviews.settle, name="review-settle"),
    path("review/<uuid:uuid>/skip/", reviews.skip, name="review-skip"),
    path("review/<uuid:uuid>/calibrate/", reviews.calibrate, name="review-calibrate"),
]
