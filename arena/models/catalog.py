"""Benchmarks and what they ask: problems are truth, revisions say which of them stand together."""

from __future__ import annotations

from django.db import models
from django.utils.translation import pgettext_lazy

from arena.models.base import AppendOnlyModel

SAMPLE = "sample"


class Benchmark(models.Model):
    """A benchmark as readers know it. Its protocol lives in `arena.benchmarks.<adapter>`."""

    slug = models.SlugField(unique=True)
    adapter = models.CharField(max_length=50)
    title = models.CharField(max_length=200)
    title_zh = models.CharField(max_length=200, blank=True)
    summary = models.TextField(blank=True)
    summary_zh = models.TextField(blank=True)
    links = models.JSONField(default=dict, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    citation = models.TextField(blank=True)
    tags = models.JSONField(default=list, blank=True)
    headline_metric = models.CharField(max_length=50)
    scorer = models.ForeignKey("Scorer", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    judge_endpoint = models.ForeignKey("Endpoint", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    is_public = models.BooleanField(default=True)
    figures_public = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "benchmark")
        verbose_name_plural = pgettext_lazy("table", "benchmarks")
        ordering = ["position", "slug"]

    def __str__(self) -> str:
        return self.slug

    @property
    def current_revision(self) -> DatasetRevision | None:
        return self.revisions.filter(is_current=True).first()


class DatasetRevision(models.Model):
    """One import of a benchmark's data; runs, coverage and boards belong to one revision."""

    class Origin(models.TextChoices):
        SAMPLE = "sample"
        OFFICIAL = "official"
        CUSTOM = "custom"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="revisions")
    label = models.CharField(max_length=100)
    origin = models.CharField(max_length=20, choices=Origin.choices, default=Origin.OFFICIAL)
    sha256 = models.CharField(max_length=64)
    is_current = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "dataset revision")
        verbose_name_plural = pgettext_lazy("table", "dataset revisions")
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "label"], name="revision_label"),
            models.UniqueConstraint(
                fields=["benchmark"], condition=models.Q(is_current=True), name="revision_one_current"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.benchmark_id}:{self.label}"

    @property
    def is_sample(self) -> bool:
        return self.origin == self.Origin.SAMPLE

    @property
    def older(self) -> DatasetRevision | None:
        """The official revision of the same benchmark that this one took the place of."""
        older = self.benchmark.revisions.filter(origin=self.Origin.OFFICIAL, created_at__lt=self.created_at)
        return older.order_by("-created_at").first()


class Subset(models.Model):
    """A column of the board: an exam, a language, a field. One row `overall` stands for the whole."""

    OVERALL = "overall"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="subsets")
    slug = models.CharField(max_length=100)
    title = models.CharField(max_length=200)
    native_title = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=20, default="field")
    language = models.CharField(max_length=20, default="en")
    position = models.PositiveIntegerField(default=0)
    full_mark = models.DecimalField(max_digits=9, decimal_places=3, null=True, blank=True)
    full_mark_human = models.DecimalField(max_digits=9, decimal_places=3, null=True, blank=True)
    gold = models.DecimalField(max_digits=9, decimal_places=3, null=True, blank=True)
    silver = models.DecimalField(max_digits=9, decimal_places=3, null=True, blank=True)
    bronze = models.DecimalField(max_digits=9, decimal_places=3, null=True, blank=True)
    best_human = models.DecimalField(max_digits=9, decimal_places=3, null=True, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "subset")
        verbose_name_plural = pgettext_lazy("table", "subsets")
        ordering = ["position", "slug"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "slug"], name="subset_slug")]

    def __str__(self) -> str:
        return self.slug


class Problem(AppendOnlyModel):
    """One question as its source states it. Rows of equal content are shared between revisions."""

    subset = models.ForeignKey(Subset, on_delete=models.PROTECT, related_name="problems")
    external_id = models.CharField(max_length=200, db_index=True)
    information = models.TextField(blank=True)
    context = models.TextField(blank=True)
    statement = models.TextField()
    choices = models.JSONField(default=list)  # [[label, text], ...]
    solution = models.TextField(blank=True)  # never sent to a model under test
    modality = models.CharField(max_length=60, blank=True)
    field = models.CharField(max_length=100, blank=True)
    subfield = models.CharField(max_length=100, blank=True)
    tags = models.JSONField(default=list)
    language = models.CharField(max_length=20, default="en")
    max_points = models.DecimalField(max_digits=9, decimal_places=4)
    content_hash = models.CharField(max_length=64)
    cluster = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "problem")
        verbose_name_plural = pgettext_lazy("table", "problems")
        constraints = [models.UniqueConstraint(fields=["subset", "content_hash"], name="problem_content")]

    def __str__(self) -> str:
        return self.external_id


class RevisionProblem(models.Model):
    """A problem's place in a revision: split, official order, official id."""

    revision = models.ForeignKey(DatasetRevision, on_delete=models.PROTECT, related_name="entries")
    problem = models.ForeignKey(Problem, on_delete=models.PROTECT, related_name="entries")
    split = models.CharField(max_length=30, default="test")
    position = models.PositiveIntegerField()
    external_id = models.CharField(max_length=200)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "split", "problem"], name="entry_problem"),
            models.UniqueConstraint(fields=["revision", "external_id", "split"], name="entry_external_id"),
        ]
        indexes = [models.Index(fields=["revision", "split", "position"], name="entry_order")]

    def __str__(self) -> str:
        return f"{self.revision_id}:{self.external_id}"


class ImageQuerySet(models.QuerySet["Image"]):
    def shown_on(self, slug: str) -> ImageQuerySet:
        """The pictures that a benchmark's pages may show: all where its licence allows it, else our own samples'."""
        of_problem = models.Q(figures__problem__subset__benchmark__slug=slug)
        of_problem &= models.Q(figures__problem__subset__benchmark__is_public=True)
        is_allowed = models.Q(figures__problem__subset__benchmark__figures_public=True)
        is_own = models.Q(figures__problem__entries__revision__origin=DatasetRevision.Origin.SAMPLE)
        return self.filter(of_problem & (is_allowed | is_own)).distinct()


class Image(AppendOnlyModel):
    """A picture's bytes, addressed by their SHA-256; two names of one picture share a row."""

    sha256 = models.CharField(max_length=64, unique=True)
    path = models.CharField(max_length=200)  # below MEDIA_ROOT
    mime = models.CharField(max_length=30)
    width = models.PositiveIntegerField()  # px
    height = models.PositiveIntegerField()  # px
    n_bytes = models.PositiveIntegerField()

    objects = ImageQuerySet.as_manager()

    def __str__(self) -> str:
        return self.sha256[:12]


class Figure(AppendOnlyModel):
    """A problem's reference to a picture, in the order in which the prompt shows it."""

    problem = models.ForeignKey(Problem, on_delete=models.PROTECT, related_name="figures")
    position = models.PositiveIntegerField()
    image = models.ForeignKey(Image, on_delete=models.PROTECT, related_name="figures")
    name = models.CharField(max_length=200, blank=True)  # the official file name
    alt = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["problem", "position"], name="figure_position")]

    def __str__(self) -> str:
        return self.name


class Answer(AppendOnlyModel):
    """One reference answer. A hidden one is used for scoring only: no page, API, export or prompt shows it."""

    problem = models.ForeignKey(Problem, on_delete=models.PROTECT, related_name="answers")
    position = models.PositiveIntegerField()
    value = models.TextField(blank=True)
    kind = models.CharField(max_length=20, default="auto")
    unit = models.CharField(max_length=100, blank=True)
    points = models.DecimalField(max_digits=9, decimal_places=4)
    tolerance = models.FloatField(null=True, blank=True)  # relative
    is_hidden = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["problem", "position"], name="answer_position")]

    def __str__(self) -> str:
        return f"answer {self.position}"


class Criterion(AppendOnlyModel):
    """One line of a marking scheme. `scheme` counts alternatives; the best scheme counts, never their sum."""

    problem = models.ForeignKey(Problem, on_delete=models.PROTECT, related_name="criteria")
    scheme = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    text = models.TextField()
    max_points = models.DecimalField(max_digits=9, decimal_places=4)

    class Meta:
        ordering = ["scheme", "position"]
        constraints = [models.UniqueConstraint(fields=["problem", "scheme", "position"], name="criterion_position")]

    def __str__(self) -> str:
        return f"s{self.scheme}c{self.position}"

    @property
    def target(self) -> str:
        return f"s{self.scheme}c{self.position}"
