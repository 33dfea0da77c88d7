"""The engine: records of truth and the deeds that make them."""
