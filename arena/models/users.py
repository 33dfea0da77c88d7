"""People. Groups `reviewer` and `maintainer` carry the rights."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.utils.functional import cached_property

REVIEWER = "reviewer"
MAINTAINER = "maintainer"


class User(AbstractUser):
    """A person with an account."""

    def has_role(self, role: str) -> bool:
        """Maintainers may do all that reviewers may; superusers may do everything."""
        if not self.is_active:
            return False
        if self.is_superuser:
            return True
        names = self._role_names
        return role in names or (role == REVIEWER and MAINTAINER in names)

    @property
    def is_reviewer(self) -> bool:
        return self.has_role(REVIEWER)

    @property
    def is_maintainer(self) -> bool:
        return self.has_role(MAINTAINER)

    @property
    def may_review(self) -> bool:
        """Whether the review queue is open to them, be it on one benchmark alone."""
        return self.is_reviewer or (self.is_active and self._has_benchmark_role)

    @cached_property
    def _role_names(self) -> frozenset[str]:
        return frozenset(self.groups.values_list("name", flat=True))

    @cached_property
    def _has_benchmark_role(self) -> bool:
        return self.benchmark_roles.exists()
