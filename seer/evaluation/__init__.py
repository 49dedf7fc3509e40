"""Experiments whose right answer is known."""
