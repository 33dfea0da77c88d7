"""F1, precision, recall and the share of YES from counts."""

from __future__ import annotations

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.selectors.formats import print_metric
from leaderboard.vectors import NO, YES
from leaderboard.worked.steps import Worked, make_worked, number, policy_of, read_sheet, rows_now


def work_f1() -> Worked | None:
    for row in rows_now(metric="f1_score", run__repeats=1)[:5]:
        found = read_sheet(row)
        if found is None:
            continue
        vectors, truth = found[0].vectors, found[0].is_yes
        scored = ~np.isnan(vectors.points[:, 0])
        yes, no = (vectors.said[:, 0] == YES) & scored, (vectors.said[:, 0] == NO) & scored
        silent = scored & ~yes & ~no & (policy_of(row) != "official")
        tp, fp, fn, missing = (int(found.sum()) for found in (yes & truth, yes & ~truth, no & truth, silent & truth))
        if not tp + fp + fn + missing:
            continue
        said = {"tp": tp, "fp": fp, "fn": fn, "m": missing, "n": int(scored.sum())}
        shares = {
            "precision": number(tp / (tp + fp)) if tp + fp else "–",
            "recall": number(tp / (tp + fn + missing)) if tp + fn + missing else "–",
            "f1": number(2 * tp / (2 * tp + fp + fn + missing), 6),
            "top": 2 * tp,
            "bottom": 2 * tp + fp + fn + missing,
            "ratio": number((tp + fp) / int(scored.sum())),
            "shown": print_metric(row.metric, row.value),
        }
        steps = [
            _("Of %(n)d scored replies: TP = %(tp)d, FP = %(fp)d, FN = %(fn)d, M = %(m)d.") % said,
            _(
                "Precision: %(tp)d / (%(tp)d + %(fp)d) = %(precision)s. Recall: %(tp)d / (%(tp)d + "
                "%(fn)d + %(m)d) = %(recall)s."
            )
            % (said | shares),
            _(
                "F1: %(top)d / %(bottom)d = %(f1)s, printed as %(shown)s. Says YES: (%(tp)d + %(fp)d) / "
                "%(n)d = %(ratio)s."
            )
            % (said | shares),
        ]
        return make_worked(row, steps)
    return None
