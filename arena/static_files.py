"""Static files with their hash in the name; one that is missing costs its page a style or a picture, not the page."""

from __future__ import annotations

import logging

from whitenoise.storage import CompressedManifestStaticFilesStorage

log = logging.getLogger(__name__)


class SteadyStaticFiles(CompressedManifestStaticFilesStorage):
    """`collectstatic` goes on refusing what refers to a missing file; only serving a page does not."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        try:
            return str(super().stored_name(name))
        except ValueError:
            log.error("the static file %s is missing: was collectstatic run?", name)
            return name
