"""A study's classifier and states on other sentences: as a study of their own, or as one more split of the study."""

from seer.apply.corpus import apply_study
from seer.apply.split import ALL, Added, add_split, check_addable

__all__ = ["ALL", "Added", "add_split", "apply_study", "check_addable"]
