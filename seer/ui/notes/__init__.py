"""Triage: notes, keys, bulk, queue, suspected labels, plan and exchange of notes."""
