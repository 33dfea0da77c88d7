"""`python -m scoring [-j N] [--serve]`: JSON lines in, JSON lines out in the same order. No Django, no network."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads cost memory here and win nothing

from scoring.serving import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
