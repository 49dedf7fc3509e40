"""Panels of the page Sentence pairs, and of triage for pairs."""
