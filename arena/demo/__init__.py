"""A demonstration, not a language model: answers by rule from the shipped samples, so that a fresh checkout has a life.

No Django here: the server is one small process of its own (`python -m arena.demo_models`).
"""
