"""A benchmark's figures: checked one by one, then copied one by one. A full PhyX is gigabytes: no two are in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from arena.benchmarks.base import Import
from arena.errors import ImportRefused
from arena.models import Image
from arena.services.figures import CheckedFigure, FigureFault, read_figure


def check_figures(data: Import, source: Path) -> dict[Path, CheckedFigure]:
    """What each figure of the files is. Raises ImportRefused naming every bad one with its record."""
    root = source.parent if source.is_file() else source
    found: dict[Path, CheckedFigure] = {}
    faults = []
    for problem in data.problems:
        for path in problem.figures:
            if path in found:
                continue
            try:
                found[path] = read_figure(path, root)
            except FigureFault as fault:
                faults.append(f"{problem.origin}, id {problem.external_id}: {fault}")
    if faults:
        raise ImportRefused(faults)
    return found


def store_images(figures: Mapping[Path, CheckedFigure]) -> dict[str, Image]:
    """SHA-256 -> image: each file copied once under its hash, each row made once."""
    paths = {figure.sha256: path for path, figure in figures.items()}
    known = {image.sha256: image for image in Image.objects.filter(sha256__in=paths)}
    for sha256, path in paths.items():
        figure = figures[path]
        relative = f"figures/{sha256[:2]}/{sha256}{figure.suffix}"
        _copy(path, sha256, settings.MEDIA_ROOT / relative)
        if sha256 not in known:
            known[sha256] = Image.objects.create(
                sha256=sha256,
                path=relative,
                mime=figure.mime,
                width=figure.width,
                height=figure.height,
                n_bytes=figure.n_bytes,
            )
    return known


def _copy(path: Path, sha256: str, kept: Path) -> None:
    """The bytes that were checked, and no others."""
    if kept.exists():
        return
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ImportRefused([_("figure %(name)s changed while it was imported") % {"name": path.name}])
    kept.parent.mkdir(parents=True, exist_ok=True)
    partial = kept.with_suffix(".partial")
    partial.write_bytes(data)
    partial.replace(kept)
