"""Panels of the page Word relevance, and what the trace shows of it."""
