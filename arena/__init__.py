"""The engine: records of truth and the deeds that make them."""

import os

# Before anything imports numpy. Our products are thin: threads of one only wait for each other, and how sums round
# would hang on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
