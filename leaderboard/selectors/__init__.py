"""The reads: all prefetching is here; rows leave as frozen dataclasses ready to print."""
