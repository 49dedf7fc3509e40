"""Patterns in the text: what is read into a state, what changes it, and what goes with failure."""
